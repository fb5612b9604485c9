#!/usr/bin/env python3
"""Compare a coverage report with the limits in ``packaging/coverage-thresholds.toml``.

Statements and branches count together, as coverage.py's own total does. Below a limit, the files
that would help most are named.
"""

import argparse
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

THRESHOLDS = Path(__file__).parents[1] / "coverage-thresholds.toml"


@dataclass(frozen=True, slots=True)
class Tally:
    """Statements and branches, together."""

    total: int
    covered: int

    @property
    def percent(self) -> float:
        """Share that ran; 100 when there is nothing to run."""
        return 100.0 * self.covered / self.total if self.total else 100.0

    @property
    def missing(self) -> int:
        """What never ran."""
        return self.total - self.covered


def tally(summary: Mapping[str, Any]) -> Tally:
    """Read one ``summary`` object of the report."""
    return Tally(
        summary["num_statements"] + summary.get("num_branches", 0),
        summary["covered_lines"] + summary.get("covered_branches", 0),
    )


def below(files: Mapping[str, Tally], folder: str) -> dict[str, Tally]:
    """Return the files below ``folder``."""
    return {name: one for name, one in files.items() if Path(name).is_relative_to(folder)}


def judge(files: Mapping[str, Tally], limits: Mapping[str, float]) -> tuple[list[str], bool]:
    """Return the lines to print and whether every limit is kept."""
    lines = []
    kept = True
    for folder, limit in limits.items():
        part = below(files, folder)
        if not part:
            lines.append(f"{folder}: not in the report")
            kept = False
            continue
        whole = Tally(sum(t.total for t in part.values()), sum(t.covered for t in part.values()))
        enough = whole.percent >= limit
        kept = kept and enough
        verdict = "ok" if enough else "TOO LOW"
        lines.append(f"{folder}: {whole.percent:.1f} % covered, limit {limit:g} %: {verdict}")
        if not enough:
            worst = sorted(part.items(), key=lambda item: -item[1].missing)[:10]
            lines += [f"  {t.missing:4d} missing, {t.percent:5.1f} %  {name}" for name, t in worst]
    return lines, kept


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("report", type=Path, help="what coverage's JSON report wrote")
    parser.add_argument("--thresholds", type=Path, default=THRESHOLDS)
    arguments = parser.parse_args()
    if not arguments.report.exists():
        print(f"{arguments.report}: no coverage report, did the tests run?")
        return 1
    report = json.loads(arguments.report.read_text(encoding="utf-8"))
    limits = tomllib.loads(arguments.thresholds.read_text(encoding="utf-8"))["minimum_percent"]
    files = {name: tally(entry["summary"]) for name, entry in report["files"].items()}
    lines, kept = judge(files, limits)
    print("\n".join(lines))
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())

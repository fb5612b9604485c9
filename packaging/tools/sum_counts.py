#!/usr/bin/env python3
"""Add up the counts of several pytest runs and print them as one plain line."""

import json
import sys
from collections import Counter
from pathlib import Path


def add_up(folder: Path) -> Counter[str]:
    """Return the sums over all ``*.counts.json`` in ``folder``."""
    total: Counter[str] = Counter()
    for path in sorted(folder.glob("*.counts.json")):
        total.update(json.loads(path.read_text(encoding="utf-8")))
    return total


def main() -> int:
    """Run the command line."""
    total = add_up(Path(sys.argv[1]))
    print(", ".join(f"{total[name]} {name}" for name in ("passed", "failed", "skipped")))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

#!/usr/bin/env python3
"""Keep the translations complete and fresh: one .ts and .qm per area of the window.

``update [AREA…]`` reads the sources and compiles; ``check`` fails on stale, unfinished or
uncompiled translations and changes nothing; ``fill AREA WORDS.json`` puts ``{"English": "…"}``
into the empty places. A file's area is the first word of its name; what is no page's is ``shell``.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "app" / "ui"
TRANSLATIONS = ROOT / "resources" / "i18n"
PAGES = (
    "plan",
    "deployments",
    "live",
    "hosts",
    "fingerprint",
    "topology",
    "settings",
    "help",
    "about",
    "findings",
    "bundle",
    "inspect",
    "slow",
)
AREAS = (*PAGES, "shell")
LANGUAGE = "zh_CN"


def area_of(source: Path) -> str:
    """Return the area a source file belongs to."""
    word = source.stem.split("_")[0]
    return word if word in PAGES and source.parent != SOURCES else "shell"


def sources_of(area: str) -> list[Path]:
    """Return the source files of an area."""
    return [file for file in sorted(SOURCES.rglob("*.py")) if area_of(file) == area]


def ts_file(area: str, folder: Path = TRANSLATIONS) -> Path:
    """Return an area's translation file."""
    return folder / f"{area}.{LANGUAGE}.ts"


def tool(name: str) -> str:
    """Return the path of a PySide6 tool of this environment."""
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        sys.exit(f"{name} is missing: install PySide6-Essentials")
    return found


def read_sources(area: str, folder: Path) -> None:
    """Bring an area's .ts up to its sources; texts that are gone are dropped."""
    files = [str(file) for file in sources_of(area)]
    if files:
        command = [tool("pyside6-lupdate"), "-locations", "none", "-no-obsolete", *files]
        run([*command, "-ts", str(ts_file(area, folder))])


def compile_area(area: str, folder: Path) -> None:
    """Make the .qm of an area."""
    source = ts_file(area, folder)
    if source.exists():
        run(
            [
                tool("pyside6-lrelease"),
                "-silent",
                str(source),
                "-qm",
                str(source.with_suffix(".qm")),
            ]
        )


def run(command: list[str]) -> None:
    """Run a tool; its output is shown only when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def unfinished(source: Path) -> list[str]:
    """Return the texts that have no translation yet."""
    missing = []
    for message in ET.parse(source).getroot().iter("message"):
        translation = message.find("translation")
        if translation is None or translation.get("type") == "unfinished":
            missing.append(message.findtext("source") or "")
    return missing


def update(areas: list[str]) -> int:
    """Read the sources, compile, and say what is still to be translated."""
    for area in areas:
        read_sources(area, TRANSLATIONS)
        compile_area(area, TRANSLATIONS)
        if ts_file(area).exists():
            for text in unfinished(ts_file(area)):
                print(f"{area}: {json.dumps(text, ensure_ascii=False)}")
    return 0


def fill(area: str, words: dict[str, str]) -> int:
    """Put translations into an area's empty places and compile it."""
    read_sources(area, TRANSLATIONS)
    tree = ET.parse(ts_file(area))
    for message in tree.getroot().iter("message"):
        translation = message.find("translation")
        source = message.findtext("source") or ""
        if translation is None or translation.get("type") != "unfinished" or source not in words:
            continue
        translation.attrib.pop("type")
        translation.text = words[source]
    tree.write(ts_file(area), encoding="utf-8", xml_declaration=True)
    return update([area])


def check(areas: list[str]) -> int:
    """Compare what is committed with what the sources give now."""
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for area in areas:
            if not sources_of(area):
                continue
            if not ts_file(area).exists():
                problems.append(f"{area}: no translation file")
                continue
            shutil.copy(ts_file(area), folder)
            read_sources(area, folder)
            compile_area(area, folder)
            problems += compare(area, folder)
    print("\n".join(problems) or "translations are complete and fresh")
    return 1 if problems else 0


def compare(area: str, folder: Path) -> list[str]:
    """Return what is wrong with an area."""
    found = [f"{area}: not translated: {text}" for text in unfinished(ts_file(area, folder))]
    for suffix in (".ts", ".qm"):
        ours, fresh = (ts_file(area, f).with_suffix(suffix) for f in (TRANSLATIONS, folder))
        if not ours.exists() or ours.read_bytes() != fresh.read_bytes():
            found.append(f"{area}: {ours.name} is stale; run translations.py update")
    return found


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=("update", "check", "fill"))
    parser.add_argument("arguments", nargs="*")
    given = parser.parse_args()
    if given.command == "fill":
        area, words = given.arguments
        return fill(area, json.loads(Path(words).read_text(encoding="utf-8")))
    areas = given.arguments or list(AREAS)
    return update(areas) if given.command == "update" else check(areas)


if __name__ == "__main__":
    sys.exit(main())

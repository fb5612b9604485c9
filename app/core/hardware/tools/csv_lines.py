"""Split nvidia-smi's CSV lines, also after a spreadsheet or a locale has been at them.

The separator is comma and blank. A value may hold a bare comma (``77,00 W``) and, as the last
text column, the separator itself; so a line is judged by the number of columns it should have.
"""

import re
from collections.abc import Sequence

_COMMA_BLANK = re.compile(r",[ \t]+")


def split_line(line: str, count: int | None = None) -> tuple[str, ...]:
    """Return the cells of one line; ``count`` is how many there should be, if known."""
    candidates = _candidates(line)
    if count is not None:
        for cells in candidates:
            if len(cells) == count:
                return cells
    return candidates[0]


def _candidates(line: str) -> list[tuple[str, ...]]:
    text = line.strip()
    if text.startswith("|") and text.endswith("|") and "," not in text:
        text = text.strip("|").replace("|", ";")  # a table of a web page's markup
    ways: list[Sequence[str]] = []
    if "\t" in text and "," not in text:
        ways.append(text.split("\t"))
    if text.count(";") > text.count(", "):
        ways.append(text.split(";"))
    ways.append(_COMMA_BLANK.split(text))
    ways.append(text.split(","))
    if len(ways[0]) == 1 and "," in text:
        ways.insert(0, text.split(","))
    return [tuple(cell.strip().strip('"') for cell in cells) for cells in ways]

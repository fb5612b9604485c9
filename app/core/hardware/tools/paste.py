"""Undo what terminals, logs and web forms do to tool output before it reaches us.

Only what cannot be content is removed: escape sequences, carriage returns, invisible blanks,
typographic quotes, quote marks and fences of a web form. Column positions are kept.
"""

import re
from typing import Final

_ANSI = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC
    r"|\x1b[()][A-Za-z0-9]|\x1b[=>78DEHMNOZc]"
    r"|(?:\^\[|␛)\[[0-9;]*[A-Za-z]"  # as cat -v or a web page shows them
)
_BARE_COLOUR = re.compile(r"\[(?:0|1|4|7|2[1247]|3[0-9]|4[0-9]|9[0-7])(?:;[0-9]{1,3})*m")
"""A colour sequence whose escape character got lost in a paste."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")

_TRANSLATE: Final = str.maketrans(
    {
        "\u00a0": " ",
        "\u2007": " ",
        "\u202f": " ",
        "\u3000": " ",
        "\ufeff": "",
        "\u200b": "",
        "\u200c": "",
        "\u200d": "",
        "\u2018": "'",
        "\u2019": "'",
        "\u201b": "'",
        "\u00b4": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2502": "|",
        "\u2503": "|",
    }
)
_FENCE = re.compile(r"^\s*(?:```|~~~)[\w+-]*\s*$", re.MULTILINE)
_QUOTED = re.compile(r"^[ \t]*(?:>[ \t]?)+")


def clean_paste(text: str) -> str:
    """Return ``text`` with plain line ends and without terminal and web-form leftovers."""
    text = _ANSI.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = text.translate(_TRANSLATE)
    text = _CONTROL.sub("", _BARE_COLOUR.sub("", text))
    return _unquote(_FENCE.sub("", text))


def _unquote(text: str) -> str:
    """Remove ``> `` when most lines carry it (a quoted mail or comment)."""
    lines = text.split("\n")
    filled = [line for line in lines if line.strip()]
    quoted = sum(1 for line in filled if _QUOTED.match(line))
    if not filled or quoted < 0.8 * len(filled):
        return text
    return "\n".join(_QUOTED.sub("", line) for line in lines)

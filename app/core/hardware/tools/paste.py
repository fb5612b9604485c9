"""Undo what terminals, logs and web forms do to tool output before it reaches us.

Only what cannot be content is removed: escape sequences, carriage returns, invisible blanks,
typographic quotes, what logs and web forms put around lines. Column positions are kept.
"""

import re
from functools import lru_cache
from typing import Final

from app.core.hardware.tools.line_prefix import strip_prefixes

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
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)(?:[\w+-]*[ \t]*$)?|```[ \t]*$", re.MULTILINE)
_TAG = re.compile(r"</?(?:pre|code|tt|samp|details|summary|p|div|span)(?:\s[^<>]*)?>|<br\s*/?>")
_MOST_BLANKS: Final = 200
_BLANKS = re.compile(r"[ \t]{200,}")
"""No column is wider; patterns that may begin anywhere in a run of blanks would take long."""
_LARGE: Final = 4 * 1024 * 1024
"""A text larger than this is no paste; its lines are taken as they are."""


def clean_paste(text: str) -> str:
    """Return ``text`` with plain line ends and without terminal and web-form leftovers."""
    return _clean(text) if len(text) > _LARGE else _cleaned(text)


@lru_cache(maxsize=4)
def _cleaned(text: str) -> str:
    """Remember the last few: every reader cleans the same paste."""
    return _clean(text)


def _clean(text: str) -> str:
    text = _ANSI.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _BLANKS.sub(lambda run: run[0][:_MOST_BLANKS], text.translate(_TRANSLATE))
    text = _CONTROL.sub("", _BARE_COLOUR.sub("", text))
    if len(text) > _LARGE:
        return text
    text = _TAG.sub(lambda tag: "\n" if tag[0].startswith("<br") else "", text)
    return strip_prefixes(_FENCE.sub("", text))

"""Make a printed line readable: escape sequences, overwritten progress bars, control characters.

Nothing here knows an engine. Lines that a terminal wrapped hard stay as they are: joining them
would be a guess, so indentation and inner blanks are kept.
"""

import re
from typing import Final

_ESCAPE: Final = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # OSC: titles, links
    r"|[PX^_][^\x1b]*(?:\x1b\\)?"  # DCS, SOS, PM, APC
    r"|[ -/]*[0-~])?"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\ufeff]")
_PROCESS_HEAD: Final = re.compile(r"\s*\([A-Za-z][\w.-]* pid=\d+[^)]*\)")


def clean(raw: str) -> str:
    """Return the line as a person would see it on a terminal, without its end.

    Args:
        raw: One physical line. With a progress bar in it, only the last state is kept.
    """
    if raw.isprintable():
        return raw
    text = raw
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPE.sub("", text)
    if "\r" in text:
        text = last_overwrite(text)
    return _CONTROL.sub("", text)


def last_overwrite(text: str) -> str:
    """Return what remains visible when carriage returns overwrite the line.

    The first segment may hold only the process prefix; the bar itself is then printed without
    it, so the prefix is put back.
    """
    first, *rest = text.split("\r")
    for segment in reversed(rest):
        if segment.strip():
            head = _PROCESS_HEAD.match(first)
            if head and not _PROCESS_HEAD.match(segment):
                return f"{head[0].strip()} {segment}"
            return segment
    return first

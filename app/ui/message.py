"""What is said of one error code."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """The sentences of one code, English as the source."""

    cause: str
    remedy: str
    specific: str = ""
    """The cause with names in braces; used when the error knows all of them."""

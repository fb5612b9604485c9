"""One flag of a profile; a module of its own because an estimate needs no more of profiles."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileFlag:
    """One engine flag of a profile with the reason it was chosen for."""

    name: str
    value: str | None = None
    why: str = ""
    why_zh_CN: str = ""  # noqa: N815 - the language's own code

"""Where a server listens and what it calls its model, as its flags say."""

from collections.abc import Iterable
from typing import Final, Protocol

from app.core.engines.parameters import WORD_SEPARATOR
from app.core.engines.spec import EngineData, PlanField

_EVERYWHERE: Final = frozenset({"", "0.0.0.0", "::", "[::]"})  # noqa: S104 - inside a container


class Named(Protocol):
    """A flag with its value."""

    @property
    def name(self) -> str:
        """As it is written."""

    @property
    def value(self) -> str | None:
        """``None`` for a switch."""


def port_of(engine: EngineData, flags: Iterable[Named]) -> int | None:
    """Return the port that flags name; ``None`` when they leave it open."""
    found = _values(engine, flags)
    word = found.get(PlanField.PORT) or split_address(found.get(PlanField.HOST, ""))[1]
    return int(word) if word.isdigit() else None


def name_of(engine: EngineData, flags: Iterable[Named]) -> str | None:
    """Return the first name under which clients ask for the model; ``None`` when none is given."""
    value = _values(engine, flags).get(PlanField.SERVED_NAME)
    return value.split(WORD_SEPARATOR)[0] if value else None


def listens_everywhere(value: str) -> bool:
    """Tell whether an address takes what comes through a published port."""
    return split_address(value)[0] in _EVERYWHERE


def split_address(value: str) -> tuple[str, str]:
    """Return address and port of ``0.0.0.0:11434``; the port is empty where there is none.

    Example:
        >>> split_address("http://127.0.0.1:11434"), split_address("::")
        (('127.0.0.1', '11434'), ('::', ''))
    """
    rest = value.partition("://")[2] or value
    address, colon, port = rest.rpartition(":")
    if not colon or not port.isdigit() or (":" in address and not address.endswith("]")):
        return rest, ""
    return address, port


def _values(engine: EngineData, flags: Iterable[Named]) -> dict[PlanField, str]:
    wanted = {PlanField.PORT, PlanField.HOST, PlanField.SERVED_NAME}
    names = {
        name: rule.plan_field
        for rule in engine.flags.flag
        if rule.plan_field in wanted
        for name in (rule.name, *rule.short)
    }
    found: dict[PlanField, str] = {}
    for flag in flags:
        field = names.get(flag.name)
        if field is not None and flag.value is not None:
            found[field] = flag.value
    return found

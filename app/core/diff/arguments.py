"""An engine's command line as names and values, without knowing the engine."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from app.core.deployment.record import HIDDEN
from app.core.engines.flag_spec import FlagsFile, FlagType

MODEL: Final = "(model)"
"""Name of a first argument that is no flag: where engines take the model."""

_SECRET: Final = re.compile(
    r"(?:^|[-_])(?:api[-_]?keys?|secret|password|passwd|credentials?|key$"
    r"|token(?![-_](?:ids?|len|limit|budget)))(?:$|[-_])",
    re.IGNORECASE,
)
_LOGIN: Final = re.compile(r"(?<=//)[^/@\s]+(?=@)")
"""User and password inside an address, as proxies are written."""
_ON: Final = "on"
_SWITCHES: Final = frozenset({FlagType.SWITCH, FlagType.BOOL})


def is_secret(name: str) -> bool:
    """Tell whether a flag or variable of that name holds what must not be shown."""
    return _SECRET.search(name) is not None


def read_arguments(command: Sequence[str], flags: FlagsFile | None = None) -> dict[str, str]:
    """Return flags with their values in the engine's own long spelling.

    A flag that stands alone has the value ``on``; one that is given twice has both values.
    """
    spellings, switches = _spellings(flags), _switches(flags)
    found: dict[str, list[str]] = {}
    name = ""
    for word in command:
        if _is_flag(word):
            flag, equals, value = word.partition("=")
            name = spellings.get(flag, _long(flag))
            found.setdefault(name, [])
            if equals:
                found[name].append(value)
            if equals or name in switches:
                name = ""
        else:
            found.setdefault(name or MODEL, []).append(word)
    return {name: " ".join(values) or _ON for name, values in found.items()}


def without_secrets(command: Sequence[str]) -> tuple[str, ...]:
    """Return a command line whose secret values are hidden."""
    words: list[str] = []
    hide = False
    for word in command:
        if _is_flag(word):
            flag, equals, _ = word.partition("=")
            hide = is_secret(flag.lstrip("-"))
            words.append(f"{flag}={HIDDEN}" if equals and hide else _without_login(word))
        else:
            words.append(HIDDEN if hide else _without_login(word))
    return tuple(words)


def hidden_environment(variables: Sequence[str]) -> dict[str, str]:
    """Return ``NAME=value`` words as a mapping, secrets hidden."""
    pairs = (word.partition("=") for word in variables)
    return {name: HIDDEN if is_secret(name) else _without_login(value) for name, _, value in pairs}


def _without_login(value: str) -> str:
    return _LOGIN.sub(HIDDEN, value)


def _is_flag(word: str) -> bool:
    return word.startswith("-") and not re.fullmatch(r"-\d[\d.e-]*", word)


def _long(flag: str) -> str:
    """Write a long flag with hyphens: engines take ``--max_model_len`` as well."""
    return flag.replace("_", "-") if flag.startswith("--") else flag


def _spellings(flags: FlagsFile | None) -> Mapping[str, str]:
    if flags is None:
        return {}
    return {short: rule.name for rule in flags.flag for short in rule.short}


def _switches(flags: FlagsFile | None) -> frozenset[str]:
    """Return the flags that are known to take no value."""
    if flags is None:
        return frozenset()
    own = {rule.name for rule in flags.flag if rule.type in _SWITCHES}
    own |= {rule.negation for rule in flags.flag if rule.negation}
    return frozenset(own.union(*(known.switches for known in flags.also_known)))

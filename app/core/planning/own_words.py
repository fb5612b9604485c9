"""The words a user adds to a plan: flags, and variables as ``docker run -e`` or a shell has them.

A variable that stands for a flag becomes that flag; any other one is kept for the container.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from app.core.engines.flags import find_flag, is_flag
from app.core.engines.spec import EngineData, FlagRule, FlagType
from app.core.versions import in_span

_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9_]*")
_OPTION: Final = re.compile(r"[a-z][a-z0-9_]*")
"""An option of a request or a Modelfile, such as Ollama's ``num_ctx``: checked like a flag."""

_ALL: Final = 1_000
_DOCKER: Final = frozenset({"-e", "--env"})
_YES: Final = frozenset({"1", "true", "yes", "on", "enabled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnWords:
    """Flags as words, and the variables beside them."""

    flags: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def sort_words(words: Sequence[str], engine: EngineData, version: str) -> OwnWords:
    """Sort a user's words into flags and variables of one engine version."""
    flags: list[str] = []
    variables: dict[str, str] = {}
    only_variables = not any(rule.name.startswith("-") for rule in engine.flags.flag)
    for word, is_variable in _marked(words, engine, version):
        name, _, value = word.partition("=")
        if not is_variable:
            is_option = only_variables and "=" in word and _OPTION.fullmatch(name) is not None
            is_option = is_option and find_flag(engine.flags, name, engine.engine, version) is None
            flags.append(f"--{word}" if is_option else word)
        elif (rule := _named_by(name, engine, version)) is not None:
            flags += _as_flag(rule, value)
        elif only_variables:
            # The table knows them all.
            flags.append(word)
        else:
            variables[name] = value
    return OwnWords(flags=tuple(flags), variables=MappingProxyType(variables))


def _marked(words: Sequence[str], engine: EngineData, version: str) -> Iterator[tuple[str, bool]]:
    """Yield each word, and whether it is ``NAME=value``; Docker's ``-e`` before it is dropped.

    What follows a flag that takes a value is that value, whatever it looks like.
    """
    position, open_values = 0, 0
    while position < len(words):
        word, following = words[position], words[position + 1 : position + 2]
        position += 1
        if open_values and not is_flag(word):
            open_values -= 1
            yield word, False
            continue
        name, equals, value = word.partition("=")
        is_docker = (
            name in _DOCKER and find_flag(engine.flags, name, engine.engine, version) is None
        )
        if is_docker and equals:
            yield value, _is_variable(value)
        elif not (is_docker and following and _is_variable(following[0])):
            open_values = 0 if equals else _values(word, engine, version)
            yield word, _is_variable(word)


def _values(word: str, engine: EngineData, version: str) -> int:
    """Return how many words after a flag are its values; a list takes all up to the next flag."""
    if not is_flag(word):
        return 0
    rule = find_flag(engine.flags, word, engine.engine, version)
    if rule is not None:
        return {FlagType.SWITCH: 0, FlagType.BOOL: 0, FlagType.LIST: _ALL}.get(rule.type, 1)
    return 0 if any(word in known.switches for known in engine.flags.also_known) else 1


def _is_variable(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return equals != "" and _VARIABLE.fullmatch(name) is not None


def _named_by(variable: str, engine: EngineData, version: str) -> FlagRule | None:
    scheme = engine.engine.version_scheme
    for rule in engine.flags.flag:
        if rule.env == variable and in_span(version, rule.since, rule.until, scheme):
            return rule
    return None


def _as_flag(rule: FlagRule, value: str) -> list[str]:
    if rule.type not in (FlagType.SWITCH, FlagType.BOOL):
        return [rule.name, value] if not value.startswith("-") else [f"{rule.name}={value}"]
    if value.lower() in _YES:
        return [rule.name]
    return [rule.negation] if rule.negation else []

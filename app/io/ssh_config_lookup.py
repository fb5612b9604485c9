"""Answer as ``ssh -G`` would, from a file that was read; ``Match exec`` is never true here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final

from app.io.ssh_config_file import Condition, Directive, SshConfigFile

_LISTS: Final = frozenset({"identityfile", "certificatefile"})
_BY_PATTERN: Final = frozenset({"host", "originalhost", "user", "localuser"})
_ALONE: Final = frozenset({"all", "canonical", "final"})


@dataclass(slots=True)
class Lookup:
    """What holds for one name."""

    values: dict[str, list[str]] = field(default_factory=dict)
    passed_exec: bool = False
    """A ``Match exec`` that might have held was passed over."""
    passed_other: bool = False
    """So was a criterion that is not known here."""

    def first(self, keyword: str, default: str = "") -> str:
        """Return the first value of a keyword."""
        return next(iter(self.values.get(keyword, ())), default)


def look_up(config: SshConfigFile, alias: str, *, local_user: str) -> Lookup:
    """Return what the configuration says of a name; the first value of each keyword holds."""
    found = Lookup()
    for directive in config.directives:
        if all(_holds(one, found, alias, local_user) for one in directive.conditions):
            _take(found.values, directive)
    return found


def _take(values: dict[str, list[str]], directive: Directive) -> None:
    if directive.keyword in _LISTS:
        values.setdefault(directive.keyword, []).extend(directive.arguments)
    else:
        values.setdefault(directive.keyword, [" ".join(directive.arguments)])


def _holds(condition: Condition, found: Lookup, alias: str, local_user: str) -> bool:
    kind, *rest = condition
    if kind == "host":
        return matches(rest, alias)
    known = {
        "originalhost": alias,
        "host": found.first("hostname", alias).replace("%h", alias),
        "user": found.first("user", local_user),
        "localuser": local_user,
    }
    return _match_holds(rest, known, found)


def _match_holds(words: Sequence[str], known: Mapping[str, str], found: Lookup) -> bool:
    """Judge the criteria of a ``Match`` line from left to right; all have to hold."""
    rest = list(words)
    while rest:
        name, _, value = rest.pop(0).partition("=")
        name, wanted = name.lower().removeprefix("!"), not name.startswith("!")
        if name in _ALONE:
            holds = name == "all"  # the other two ask for a second pass, which is not made
        else:
            value = value or (rest.pop(0) if rest else "")
            if name not in _BY_PATTERN:
                found.passed_exec |= name == "exec"
                found.passed_other |= name != "exec"
                return False
            holds = matches(value.split(","), known[name])
        if holds is not wanted:
            return False
    return True


def matches(patterns: Sequence[str], text: str) -> bool:
    """Tell whether a pattern list takes a text: one hit, and none that is negated."""
    folded = text.lower()
    hit = False
    for pattern in patterns:
        # OpenSSH knows only * and ?; brackets stand for themselves.
        plain = pattern.removeprefix("!").lower().replace("[", "[[]")
        if fnmatchcase(folded, plain):
            if pattern.startswith("!"):
                return False
            hit = True
    return hit

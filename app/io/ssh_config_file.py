"""Read OpenSSH client configurations: sections, includes, quoting; nothing is ever run.

Every line is kept with the conditions above it, so that one pass answers for any name. What an
included file says holds only where the section around the ``Include`` holds, as in OpenSSH.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from app.core.errors import ErrorCode, StoreError

MAX_DEPTH: Final = 16
"""OpenSSH's own limit of includes within includes."""
MAX_BYTES: Final = 4 * 1024 * 1024

Condition = tuple[str, ...]
"""``("host", pattern, …)`` or ``("match", criterion, argument, …)``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    """One setting and where it holds: all its conditions have to be true."""

    keyword: str
    arguments: tuple[str, ...]
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SshConfigFile:
    """A configuration with everything that it includes."""

    path: Path
    directives: tuple[Directive, ...]
    aliases: tuple[str, ...]
    """Names of ``Host`` lines without wildcards, in their order."""
    commands: tuple[str, ...] = ()
    """What ``Match exec`` would run."""
    skipped: tuple[str, ...] = ()
    """Included files that could not be read."""


def read_ssh_config(path: Path, *, include_base: Path | None = None) -> SshConfigFile:
    """Read a configuration and its includes.

    Args:
        path: The file.
        include_base: Where relative includes are looked for; by default ``~/.ssh``.

    Raises:
        StoreError: FILE_UNREADABLE when the file itself cannot be read.
    """
    reader = _Reader(include_base or Path("~/.ssh").expanduser())
    try:
        text = _text(path)
    except OSError as exc:
        raise StoreError(
            ErrorCode.FILE_UNREADABLE,
            {"file": path},
            cause=f"The SSH configuration {path} cannot be read: {exc.strerror or exc}.",
            remedy="Choose the file that your SSH client uses, often ~/.ssh/config.",
        ) from exc
    reader.read(text, (), depth=0)
    return SshConfigFile(
        path=path,
        directives=tuple(reader.directives),
        aliases=tuple(dict.fromkeys(reader.aliases)),
        commands=tuple(dict.fromkeys(reader.commands)),
        skipped=tuple(dict.fromkeys(reader.skipped)),
    )


@dataclass(slots=True)
class _Reader:
    base: Path
    directives: list[Directive] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def read(self, text: str, outer: tuple[Condition, ...], *, depth: int) -> None:
        """Take in one file's text below the conditions of whoever includes it."""
        inside = outer
        for line in text.splitlines():
            keyword, arguments = split_line(line)
            match keyword:
                case "":
                    pass
                case "host":
                    inside = (*outer, ("host", *arguments))
                    self.aliases += [name for name in arguments if not _is_pattern(name)]
                case "match":
                    inside = (*outer, ("match", *arguments))
                    self.commands += _commands(arguments)
                case "include":
                    self._include(arguments, inside, depth + 1)
                case _:
                    self.directives.append(
                        Directive(keyword=keyword, arguments=arguments, conditions=inside)
                    )

    def _include(
        self, patterns: tuple[str, ...], inside: tuple[Condition, ...], depth: int
    ) -> None:
        for pattern in patterns:
            for path in self._found(pattern):
                try:
                    text = _text(path) if depth <= MAX_DEPTH else ""
                except OSError:
                    self.skipped.append(str(path))
                else:
                    self.read(text, inside, depth=depth)

    def _found(self, pattern: str) -> Iterator[Path]:
        path = Path(pattern).expanduser()
        path = path if path.is_absolute() else self.base / path
        if not set("*?[") & set(str(path)):
            # A file that is named and not there is nothing to OpenSSH either.
            yield from (path,) if path.exists() else ()
            return
        anchor = Path(path.anchor)
        try:
            yield from sorted(anchor.glob(str(path.relative_to(anchor))))
        except (OSError, ValueError, NotImplementedError):
            self.skipped.append(pattern)


def split_line(line: str) -> tuple[str, tuple[str, ...]]:
    """Return a line's keyword in small letters and its arguments; nothing for a comment."""
    text = line.strip()
    if not text or text.startswith("#"):
        return "", ()
    end = next((at for at, sign in enumerate(text) if sign in " \t="), len(text))
    keyword, rest = text[:end].strip('"').lower(), text[end:].lstrip()
    rest = rest.removeprefix("=")
    return keyword, tuple(_words(rest.strip()))


def _words(text: str) -> Iterator[str]:
    """Split into words; quotes keep blanks together, a word that begins with # ends the line."""
    word, quote, begun = "", "", False
    signs = iter(text)
    for sign in signs:
        if quote:
            if sign == "\\":
                after = next(signs, "")
                word += after if after in {quote, "\\"} else sign + after
            elif sign == quote:
                quote = ""
            else:
                word += sign
        elif sign in "\"'":
            quote, begun = sign, True
        elif sign in " \t":
            if begun:
                yield word
            word, begun = "", False
        elif sign == "#" and not begun:
            return
        else:
            word, begun = word + sign, True
    if begun:
        yield word


def _commands(arguments: tuple[str, ...]) -> list[str]:
    pairs = zip(arguments, (*arguments[1:], ""), strict=True)
    return [
        after or name.partition("=")[2]
        for name, after in pairs
        if name.lower().lstrip("!").partition("=")[0] == "exec"
    ]


def _is_pattern(name: str) -> bool:
    return bool(set("*?!,") & set(name)) or name.startswith("-")


def _text(path: Path) -> str:
    if not path.is_file():
        raise FileNotFoundError(2, "there is no such file")
    with path.open("rb") as file:
        return file.read(MAX_BYTES).decode("utf-8-sig", "replace")

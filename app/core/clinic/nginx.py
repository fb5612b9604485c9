"""Read nginx configuration: each place that hands requests on, with what is in force there.

The reader knows nginx's words, blocks, quotes and comments, and nothing of directives: which of
them a block inherits is decided by nginx's one rule for those that matter here (a value set
further in replaces the one set further out).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from app.core.clinic.launch import LaunchKind, Option, Start
from app.core.clinic.origin import Span

_TOKEN: Final = re.compile(
    r"(?P<comment>#[^\n]*)|(?P<mark>[{};])|\"(?P<double>(?:[^\"\\]|\\.)*)\"|"
    r"'(?P<single>(?:[^'\\]|\\.)*)'|(?P<word>(?:\$\{[^}\s]*\}|[^\s{};\"'#\\]|\\.|(?<=\S)#)+)|"
    r"(?P<blank>\s+)|(?P<other>.)",
    re.DOTALL,
)
_LOOKS: Final = re.compile(
    r"(?:^|[{;])[ \t]*(?:(?:proxy_pass|fastcgi_pass|grpc_pass)[ \t]+\S+.*;|location[ \t]+\S.*\{)",
    re.MULTILINE,
)
_PASSES: Final = re.compile(r"(?:^|[{;])[ \t]*proxy_pass[ \t]+\S+", re.MULTILINE)
_ENGINE: Final = re.compile(
    r"llm|sglang|ollama|llama|tgi|lmdeploy|trt|:(?:8000|30000|23333|11434)\b|/v1\b|/api/(?:chat|gen)",
    re.IGNORECASE,
)
"""What a place in front of an engine names: its address, port or path."""
_REPEATED: Final = frozenset({"proxy_set_header", "add_header", "proxy_hide_header", "server"})
_DEEPEST: Final = 30
_MOST: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    """One directive with its words, and its block where it has one."""

    name: str
    args: tuple[str, ...]
    span: Span
    block: tuple["Directive", ...] = ()


@dataclass(slots=True)
class _Open:
    name: str = ""
    args: tuple[str, ...] = ()
    begin: int = 0
    inside: list[Directive] = field(default_factory=list)


def is_nginx(text: str) -> bool:
    """Tell whether a text is nginx configuration that hands requests on."""
    return _LOOKS.search(text) is not None and _PASSES.search(text) is not None


def read_nginx(text: str) -> tuple[Start, ...]:
    """Return a start per place with ``proxy_pass``; settings are the directives in force."""
    tree = _tree(text)
    upstreams = dict(_upstreams(tree))
    starts = tuple(_starts(tree, {}, upstreams, "server"))
    return tuple(start for start in starts if _is_engine(start)) or starts


def _is_engine(start: Start) -> bool:
    """Tell a place in front of an engine from one in front of something else in the same file."""
    names = ("proxy_pass", "location", "upstream.server")
    return any(
        _ENGINE.search(start.settings[name].value) for name in names if name in start.settings
    )


def _tree(text: str) -> tuple[Directive, ...]:
    stack, words, begin = [_Open()], list[str](), 0
    for count, token in enumerate(_TOKEN.finditer(text)):
        kind, value = token.lastgroup, token[0]
        if count > _MOST:
            break
        if kind == "mark":
            _mark(value, stack, words, Span(begin=begin, end=token.start()))
            words = []
        elif kind in {"double", "single", "word"}:
            begin = begin if words else token.start()
            words.append(token[kind])
    while len(stack) > 1:  # cut off in the paste
        _close(stack, len(text))
    return tuple(stack[0].inside)


def _mark(mark: str, stack: list[_Open], words: list[str], span: Span) -> None:
    if mark == "{" and words and len(stack) < _DEEPEST:
        stack.append(_Open(name=words[0], args=tuple(words[1:]), begin=span.begin))
    elif mark == "}":
        if len(stack) > 1:
            _close(stack, span.end)
    elif words:
        stack[-1].inside.append(Directive(name=words[0], args=tuple(words[1:]), span=span))


def _close(stack: list[_Open], end: int) -> None:
    done = stack.pop()
    made = Directive(
        name=done.name,
        args=done.args,
        span=Span(begin=done.begin, end=end),
        block=tuple(done.inside),
    )
    stack[-1].inside.append(made)


def _upstreams(tree: tuple[Directive, ...]) -> Iterator[tuple[str, Directive]]:
    for directive in tree:
        if directive.name == "upstream" and directive.args:
            yield directive.args[0], directive
        yield from _upstreams(directive.block)


def _starts(
    block: tuple[Directive, ...],
    outer: Mapping[str, Option],
    upstreams: Mapping[str, Directive],
    name: str,
) -> Iterator[Start]:
    own = dict(_settings(block))
    arrays = {key.partition(".")[0] for key in own if "." in key}  # replaced as a whole
    kept = {key: value for key, value in outer.items() if key.partition(".")[0] not in arrays}
    settings = {**kept, **own}
    passes = next((d for d in block if d.name == "proxy_pass" and d.args), None)
    if passes is not None:
        yield Start(
            kind=LaunchKind.NGINX,
            name=name,
            settings={**settings, **dict(_upstream_settings(passes, upstreams))},
            span=passes.span,
        )
    for directive in block:
        if directive.block and directive.name != "upstream":
            inner = " ".join((directive.name, *directive.args))
            here = {"location": _option(directive)} if directive.name == "location" else {}
            yield from _starts(directive.block, {**settings, **here}, upstreams, inner)


def _settings(block: tuple[Directive, ...]) -> Iterator[tuple[str, Option]]:
    for directive in block:
        if directive.block:
            continue
        if directive.name in _REPEATED and directive.args:
            value = " ".join(directive.args[1:])
            key = f"{directive.name}.{directive.args[0].lower()}"
            yield key, Option(value=value, span=directive.span, whole=directive.span)
        else:
            yield directive.name, _option(directive)


def _option(directive: Directive) -> Option:
    span = directive.span
    if directive.block:
        span = Span(begin=span.begin, end=span.begin + len(directive.name))
    return Option(value=" ".join(directive.args), span=span, whole=span)


def _upstream_settings(
    passes: Directive, upstreams: Mapping[str, Directive]
) -> Iterator[tuple[str, Option]]:
    host = re.sub(r"^https?://", "", passes.args[0]).partition("/")[0]
    upstream = upstreams.get(host.partition(":")[0])
    if upstream is None:
        return
    servers = [d for d in upstream.block if d.name == "server"]
    yield "upstream", _option(upstream)
    count = Option(value=str(len(servers)), span=upstream.span, whole=upstream.span)
    yield "upstream.servers", count
    for server in servers[:1]:
        yield "upstream.server", _option(server)
    for directive in upstream.block:
        if directive.name != "server":
            yield f"upstream.{directive.name}", _option(directive)

"""Read YAML into nodes that keep their places in the paste.

A file that YAML refuses is not given up silently: tabs are read as they were meant, and where
nothing helps the place is told at which reading ended.
"""

import re
from collections.abc import Iterator
from typing import Final

import yaml

from app.core.clinic.damage import Damage
from app.core.clinic.launch import Option
from app.core.clinic.origin import Chars, Span, Word, word_at
from app.core.clinic.remark import Edit
from app.core.clinic.shell import read_commands

_DEEPEST: Final = 40
_MOST_NODES: Final = 20_000
_MOST_DOCUMENTS: Final = 50
_INDENT: Final = re.compile(r"^[ \t]*\t[ \t]*(?=\S)", re.MULTILINE)
Node = yaml.Node | None


def documents(text: str) -> tuple[list[yaml.Node], tuple[Damage, ...]]:
    """Return the documents' trees, and what kept YAML from reading on."""
    found, broken = _read(text)
    tabs = tuple(_INDENT.finditer(text))
    if broken is None or not tabs:
        return found, () if broken is None else (broken,)
    edits = tuple(
        Edit(span=Span(begin=tab.start(), end=tab.end()), text=tab[0].replace("\t", "  "))
        for tab in tabs
    )
    told = Damage(id="yaml_tab", span=edits[0].span, edits=edits)
    found, broken = _read(_INDENT.sub(lambda tab: tab[0].replace("\t", " "), text))
    return found, (told,) if broken is None else (told, broken)


def _read(text: str) -> tuple[list[yaml.Node], Damage | None]:
    found: list[yaml.Node] = []
    try:
        loader = yaml.SafeLoader(text)
        while loader.check_node() and len(found) < _MOST_DOCUMENTS:
            node = loader.get_node()
            if node is not None and _is_small(node):
                found.append(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return found, _broken(text, mark.index if mark else 0, str(error.problem or ""))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        return found, _broken(text, getattr(error, "position", 0), str(error).partition("\n")[0])
    return found, None


def _broken(text: str, place: int, detail: str) -> Damage:
    place = min(place, max(len(text) - 1, 0))
    begin = text.rfind("\n", 0, place) + 1
    end = text.find("\n", place)
    line = Span(begin=begin, end=len(text) if end < 0 else max(end, begin))
    return Damage(id="yaml_broken", span=line, detail=detail)


def _is_small(root: yaml.Node) -> bool:
    """Refuse what aliases blow up: every visit counts, also that of a node seen before."""
    todo, seen = [(root, 0)], 0
    while todo:
        node, depth = todo.pop()
        seen += 1
        if seen > _MOST_NODES or depth > _DEEPEST:
            return False
        if isinstance(node, yaml.MappingNode):
            todo += [(part, depth + 1) for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            todo += [(part, depth + 1) for part in node.value]
    return True


def nodes(node: Node, depth: int = 0) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    """Yield a mapping's keys; what ``<<`` merges in comes where the mapping says nothing."""
    if not isinstance(node, yaml.MappingNode):
        return
    own = {text_of(key) for key, _ in node.value}
    for key, value in node.value:
        if text_of(key) != "<<":
            yield key, value
            continue
        for source in (value, *(value.value if isinstance(value, yaml.SequenceNode) else ())):
            if depth < _DEEPEST:
                merged = ((k, v) for k, v in nodes(source, depth + 1) if text_of(k) not in own)
                yield from merged


def pairs(node: Node) -> Iterator[tuple[str, yaml.Node]]:
    """Yield a mapping's entries by their key's text."""
    for key, value in nodes(node):
        yield text_of(key), value


def entry_span(key: yaml.Node, value: yaml.Node, text: str) -> Span:
    """Return where a key with its value stands."""
    return Span(begin=key.start_mark.index, end=span_of(value, text).end)


def items(node: Node) -> tuple[yaml.Node, ...]:
    """Return the entries of a list; a single value is a list of one."""
    if isinstance(node, yaml.SequenceNode):
        return tuple(node.value)
    return (node,) if isinstance(node, yaml.ScalarNode) else ()


def get(node: Node, *path: str) -> Node:
    """Follow keys down; ``None`` where one is missing."""
    for step in path:
        node = next((value for key, value in pairs(node) if key == step), None)
    return node


def text_of(node: Node) -> str:
    """Return a scalar as text; anything else is empty."""
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""


def span_of(node: yaml.Node, text: str) -> Span:
    """Return where a node stands; a block's end is the end of what is written."""
    begin = node.start_mark.index
    written = text[begin : node.end_mark.index].rstrip()
    return Span(begin=begin, end=begin + len(written))


def first_line(node: yaml.Node, text: str) -> Span:
    """Return the line at which a node begins."""
    begin = node.start_mark.index
    line = text.find("\n", begin)
    return Span(begin=begin, end=len(text) if line < 0 else line)


def option_of(node: yaml.Node, text: str) -> Option:
    """Return a value as an option of docker run."""
    span = span_of(node, text)
    if isinstance(node, yaml.MappingNode):
        return Option(value=_long_form(node), span=span, whole=span)
    value = text_of(node)
    return Option(value=value, span=span, whole=span, is_resolved="$" not in value)


def _long_form(node: yaml.MappingNode) -> str:
    """Write ``target: 8000, published: 80`` and the like as docker run would."""
    values = {key: text_of(value) for key, value in pairs(node)}
    target = values.get("target", "")
    if "published" in values:
        address = values.get("host_ip", "")
        return ":".join(part for part in (address, values["published"], target) if part)
    return f"{values.get('source', '')}:{target}" if "source" in values else target


def word_of(node: yaml.Node, text: str) -> Word:
    """Return a scalar as a word: exact where YAML changed nothing in it."""
    value, span = text_of(node), span_of(node, text)
    if text[span.begin : span.begin + 1] in {"'", '"'}:
        inner = Span(begin=span.begin + 1, end=span.end - 1)
        span = inner if inner.end - inner.begin == len(value) else span
    return _interpolated(word_at(value, span))


_DEFAULT: Final = re.compile(r"\$\{\w+:?-([^${}]*)\}")


def _interpolated(word: Word) -> Word:
    """Put the default where compose would, as nothing of its environment is in the paste."""
    if "$" not in word.text:
        return word
    chars, last = [], 0
    places: list[int] = []
    for found in _DEFAULT.finditer(word.text):
        for begin, end in ((last, found.start()), found.span(1)):
            chars.append(word.text[begin:end])
            places += word.chars.at[begin:end]
        last = found.end()
    chars.append(word.text[last:])
    places += word.chars.at[last:]
    made = "".join(chars)
    return Word(chars=Chars(made, places), is_resolved="$" not in made)


def command_of(node: Node, text: str) -> tuple[Word, ...]:
    """Return a command's words: a list as it is, a text as a shell would split it."""
    if isinstance(node, yaml.SequenceNode):
        return tuple(word_of(item, text) for item in node.value)
    if not isinstance(node, yaml.ScalarNode):
        return ()
    found = read_commands(_scalar_chars(node, text))
    return tuple(word for command in found for word in command.words)


def _scalar_chars(node: yaml.ScalarNode, text: str) -> Chars:
    """Find each character of a scalar in the paste: folding changes blanks only."""
    value, span = str(node.value), span_of(node, text)
    places, at = [], span.begin
    for sign in value:
        if sign.isspace():
            places.append(min(at, span.end - 1))
            continue
        found = text.find(sign, at, span.end)
        at = at if found < 0 else found + 1
        places.append(at - 1 if found >= 0 else min(at, max(span.end - 1, span.begin)))
    return Chars(value, places)

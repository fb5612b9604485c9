"""Read compose files and Kubernetes containers: YAML whose places are kept.

Compose keys become docker run's names of options, so that one set of rules judges both.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

import yaml

from app.core.clinic.docker_words import variable_of
from app.core.clinic.launch import Container, LaunchKind, Option, Start, Variable
from app.core.clinic.origin import Chars, Span, Word, word_at
from app.core.clinic.shell import read_commands

_KEYS: Final = re.compile(
    r"^[ \t]*(?:- )?(?:services|image|command|args|containers|entrypoint)\s*:", re.MULTILINE
)
_DEEPEST: Final = 40
_MOST_NODES: Final = 20_000
_SAME: Final = {
    "network_mode": "network", "shm_size": "shm-size", "mem_limit": "memory", "ipc": "ipc",
    "restart": "restart", "runtime": "runtime", "privileged": "privileged", "user": "user",
    "container_name": "name", "pid": "pid", "init": "init", "platform": "platform", "gpus": "gpus",
    "env_file": "env-file", "read_only": "read-only",
}  # fmt: skip
_LISTS: Final = {
    "ports": "publish", "volumes": "volume", "devices": "device", "cap_add": "cap-add",
    "security_opt": "security-opt", "expose": "expose",
}  # fmt: skip
Node = yaml.Node | None


def is_yaml(text: str) -> bool:
    """Tell whether a text may be a compose file or a pod."""
    return _KEYS.search(text) is not None


def read_yaml(text: str) -> tuple[Start, ...]:
    """Return a start per service or container; nothing when it is no such file."""
    starts: list[Start] = []
    for root in _documents(text):
        starts += _compose(root, text)
        starts += _pods(root, text)
    return tuple(starts)


def _documents(text: str) -> list[yaml.Node]:
    """Return the documents' trees; what cannot be read ends the list."""
    found: list[yaml.Node] = []
    try:
        loader = yaml.SafeLoader(text)
        while loader.check_node() and len(found) < 50:
            node = loader.get_node()
            if node is not None and _is_small(node):
                found.append(node)
    except (yaml.YAMLError, RecursionError, ValueError):
        return found
    return found


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


def _compose(root: yaml.Node, text: str) -> Iterator[Start]:
    services = _get(root, "services")
    for name, service in _pairs(services):
        yield _service(name, service, text)
    if services is None and _get(root, "image") is not None:
        yield _service("", root, text)
    elif services is None:  # a service cut out of its file
        for name, service in _pairs(root):
            if _get(service, "image") is not None:
                yield _service(name, service, text)


def _service(name: str, node: yaml.Node, text: str) -> Start:
    image = _get(node, "image")
    entry = _get(node, "entrypoint")
    container = Container(
        image=_word(image, text) if image is not None else None,
        entrypoint=_command(entry, text) if entry is not None else None,
        options=_options(node, text),
    )
    return Start(
        kind=LaunchKind.COMPOSE,
        name=name,
        words=_command(_get(node, "command"), text),
        container=container,
        variables=_environment(_get(node, "environment"), text),
        span=_first_line(node, text),
    )


def _options(node: yaml.Node, text: str) -> Mapping[str, tuple[Option, ...]]:
    found: dict[str, list[Option]] = defaultdict(list)
    for name, value in _nodes(node):
        key = _text(name)
        if key in _SAME and isinstance(value, yaml.ScalarNode):
            option = replace(_option(value, text), whole=_entry(name, value, text))
            found[_SAME[key]].append(option)
        for item in _items(value) if key in _LISTS else ():
            found[_LISTS[key]].append(_option(item, text))
    found.update(_deploy(node, text))
    found.update(_health(_get(node, "healthcheck"), "test", text))
    return {name: tuple(options) for name, options in found.items()}


def _deploy(node: yaml.Node, text: str) -> Iterator[tuple[str, list[Option]]]:
    devices = _get(node, "deploy", "resources", "reservations", "devices")
    for device in _items(devices):
        count, ids = _get(device, "count"), _get(device, "device_ids")
        value = "all"
        if isinstance(count, yaml.ScalarNode):
            value = str(count.value)
        elif ids is not None:
            value = "device=" + ",".join(_text(item) for item in _items(ids))
        span = _span(device, text)
        yield "gpus", [Option(value=value, span=span, whole=span)]
        if _get(device, "capabilities") is None:
            yield "gpus-without-capabilities", [Option(value="true", span=span, whole=span)]
    policy = _get(node, "deploy", "restart_policy", "condition")
    if isinstance(policy, yaml.ScalarNode):
        yield "restart", [_option(policy, text)]


def _health(node: Node, key: str, text: str) -> Iterator[tuple[str, list[Option]]]:
    test = _get(node, key)
    if test is not None:
        words = " ".join(_text(item) for item in _items(test))
        span = _span(test, text)
        yield "health-cmd", [Option(value=words, span=span, whole=span)]
    period = _get(node, "start_period")
    if isinstance(period, yaml.ScalarNode):
        yield "health-start-period", [_option(period, text)]


def _pods(root: yaml.Node, text: str) -> Iterator[Start]:
    """Find ``containers`` wherever a Deployment, a pod or a chart's values hold them."""
    todo = [root]
    while todo:
        node = todo.pop()
        for container in _items(_get(node, "containers")):
            if _get(container, "image") is not None:
                yield _pod_container(container, node, text)
        if isinstance(node, yaml.MappingNode):
            todo += [value for key, value in node.value if _text(key) != "containers"]
        elif isinstance(node, yaml.SequenceNode):
            todo += list(node.value)


def _pod_container(node: yaml.Node, pod: yaml.Node, text: str) -> Start:
    image, command = _get(node, "image"), _get(node, "command")
    container = Container(
        image=_word(image, text) if image is not None else None,
        entrypoint=_command(command, text) if command is not None else None,
        options=_pod_options(node, pod, text),
    )
    return Start(
        kind=LaunchKind.KUBERNETES,
        name=_text(_get(node, "name")),
        words=_command(_get(node, "args"), text),
        container=container,
        variables=_pod_variables(_get(node, "env"), text),
        span=_first_line(node, text),
    )


def _pod_options(node: yaml.Node, pod: yaml.Node, text: str) -> Mapping[str, tuple[Option, ...]]:
    found: dict[str, list[Option]] = defaultdict(list)
    for key, value in _pairs(_get(node, "resources", "limits")):
        if key.endswith("/gpu"):
            found["gpus"].append(_option(value, text))
    for item in _items(_get(node, "volumeMounts")):
        path, span = _text(_get(item, "mountPath")), _span(item, text)
        if path == "/dev/shm":  # noqa: S108 - a mount's path
            found["shm-size"].append(Option(value="memory", span=span, whole=span))
        elif path:
            mount = f"{_text(_get(item, 'name'))}:{path}"
            found["volume"].append(Option(value=mount, span=span, whole=span))
    host = _get(pod, "hostNetwork")
    if host is not None and _text(host) == "true":
        found["network"].append(replace(_option(host, text), value="host"))
    _add_probes(found, node, text)
    return {name: tuple(options) for name, options in found.items()}


def _pod_variables(node: Node, text: str) -> tuple[Variable, ...]:
    return tuple(
        Variable(
            name=_text(_get(item, "name")),
            value=_text(_get(item, "value")),
            span=_span(_get(item, "value") or item, text),
            whole=_span(item, text),
            is_resolved=_get(item, "value") is not None,
        )
        for item in _items(node)
    )


def _add_probes(found: dict[str, list[Option]], node: yaml.Node, text: str) -> None:
    for probe in ("readinessProbe", "livenessProbe", "startupProbe"):
        get = _get(node, probe, "httpGet")
        if get is None:
            continue
        value = f"http://localhost:{_text(_get(get, 'port'))}{_text(_get(get, 'path'))}"
        span = _span(get, text)
        found["health-cmd"].append(Option(value=value, span=span, whole=span))
        found[probe].append(Option(value=value, span=span, whole=span))


# Nodes


def _nodes(node: Node) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    """Yield a mapping's keys; what ``<<`` merges in comes where the mapping says nothing."""
    if not isinstance(node, yaml.MappingNode):
        return
    own = {_text(key) for key, _ in node.value}
    for key, value in node.value:
        if _text(key) != "<<":
            yield key, value
            continue
        for source in (value, *(value.value if isinstance(value, yaml.SequenceNode) else ())):
            if isinstance(source, yaml.MappingNode):
                yield from ((k, v) for k, v in source.value if _text(k) not in own)


def _pairs(node: Node) -> Iterator[tuple[str, yaml.Node]]:
    for key, value in _nodes(node):
        yield _text(key), value


def _entry(key: yaml.Node, value: yaml.Node, text: str) -> Span:
    """Return where a key with its value stands."""
    return Span(begin=key.start_mark.index, end=_span(value, text).end)


def _items(node: Node) -> tuple[yaml.Node, ...]:
    if isinstance(node, yaml.SequenceNode):
        return tuple(node.value)
    return (node,) if isinstance(node, yaml.ScalarNode) else ()


def _get(node: Node, *path: str) -> Node:
    for step in path:
        node = next((value for key, value in _pairs(node) if key == step), None)
    return node


def _text(node: Node) -> str:
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""


def _span(node: yaml.Node, text: str) -> Span:
    """Return where a node stands; a block's end is the end of what is written."""
    begin = node.start_mark.index
    written = text[begin : node.end_mark.index].rstrip()
    return Span(begin=begin, end=begin + len(written))


def _first_line(node: yaml.Node, text: str) -> Span:
    begin = node.start_mark.index
    line = text.find("\n", begin)
    return Span(begin=begin, end=len(text) if line < 0 else line)


def _option(node: yaml.Node, text: str) -> Option:
    span = _span(node, text)
    if isinstance(node, yaml.MappingNode):
        return Option(value=_long_form(node), span=span, whole=span)
    value = _text(node)
    return Option(value=value, span=span, whole=span, is_resolved="$" not in value)


def _long_form(node: yaml.MappingNode) -> str:
    """Write ``target: 8000, published: 80`` and the like as docker run would."""
    values = {key: _text(value) for key, value in _pairs(node)}
    target = values.get("target", "")
    if "published" in values:
        address = values.get("host_ip", "")
        return ":".join(part for part in (address, values["published"], target) if part)
    return f"{values.get('source', '')}:{target}" if "source" in values else target


def _word(node: yaml.Node, text: str) -> Word:
    """Return a scalar as a word: exact where YAML changed nothing in it."""
    value, span = _text(node), _span(node, text)
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


def _command(node: Node, text: str) -> tuple[Word, ...]:
    """Return a command's words: a list as it is, a text as a shell would split it."""
    if isinstance(node, yaml.SequenceNode):
        return tuple(_word(item, text) for item in node.value)
    if not isinstance(node, yaml.ScalarNode):
        return ()
    found = read_commands(_scalar_chars(node, text))
    return tuple(word for command in found for word in command.words)


def _scalar_chars(node: yaml.ScalarNode, text: str) -> Chars:
    """Find each character of a scalar in the paste: folding changes blanks only."""
    value, span = str(node.value), _span(node, text)
    places, at = [], span.begin
    for sign in value:
        if sign.isspace():
            places.append(min(at, span.end - 1))
            continue
        found = text.find(sign, at, span.end)
        at = at if found < 0 else found + 1
        places.append(at - 1 if found >= 0 else min(at, max(span.end - 1, span.begin)))
    return Chars(value, places)


def _environment(node: Node, text: str) -> tuple[Variable, ...]:
    if isinstance(node, yaml.SequenceNode):
        return tuple(variable_of(_word(item, text)) for item in node.value)
    return tuple(
        Variable(
            name=_text(key),
            value=_text(value),
            span=_span(value, text),
            whole=_entry(key, value, text),
            is_resolved="$" not in _text(value),
        )
        for key, value in _nodes(node)
    )

"""Read compose files: YAML whose places are kept.

Compose keys become docker run's names of options, so that one set of rules judges both.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import yaml

from app.core.clinic.damage import Damage
from app.core.clinic.docker_words import variable_of
from app.core.clinic.launch import Container, LaunchKind, Option, Start, Variable
from app.core.clinic.pods import read_pods
from app.core.clinic.yaml_nodes import (
    Node,
    command_of,
    documents,
    entry_span,
    first_line,
    get,
    items,
    nodes,
    option_of,
    pairs,
    span_of,
    text_of,
    word_of,
)

_KEYS: Final = re.compile(
    r"^[ \t]*(?:- )?(?:services|image|command|args|containers|entrypoint)\s*:", re.MULTILINE
)
_DEEPEST_BASE: Final = 8
_REPLACED: Final = frozenset({"command", "entrypoint"})
"""Lists that a service replaces as a whole instead of adding to those of its base."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlStarts:
    """What a YAML text starts, and what is broken in it."""

    starts: tuple[Start, ...]
    damages: tuple[Damage, ...] = ()


def is_yaml(text: str) -> bool:
    """Tell whether a text may be a compose file or a pod."""
    return _KEYS.search(text) is not None


def read_yaml(text: str) -> YamlStarts:
    """Return a start per service or container; nothing when it is no such file."""
    starts: list[Start] = []
    roots, damages = documents(text)
    for root in roots:
        starts += _compose(root, text)
        starts += read_pods(root, text)
    return YamlStarts(starts=tuple(starts), damages=damages)


def _compose(root: yaml.Node, text: str) -> Iterator[Start]:
    services = get(root, "services")
    for name, service in pairs(services):
        yield _service(name, _extended(service, services), text)
    if services is None and get(root, "image") is not None:
        yield _service("", root, text)
    elif services is None:  # a service cut out of its file
        for name, service in pairs(root):
            if get(service, "image") is not None:
                yield _service(name, service, text)


def _extended(service: yaml.Node, services: Node, depth: int = 0) -> yaml.Node:
    """Return a service with what it ``extends`` in the same file; its own keys win."""
    extends = get(service, "extends")
    name = text_of(extends) or text_of(get(extends, "service"))
    base = get(services, name) if name and get(extends, "file") is None else None
    if base is None or base is service or depth > _DEEPEST_BASE:
        return service
    return _over(service, _extended(base, services, depth + 1))


def _over(own: yaml.Node, base: yaml.Node) -> yaml.Node:
    """Lay a service over its base: lists are joined, mappings merged, the rest replaced."""
    values = {text_of(key): (key, value) for key, value in nodes(base)}
    for key, value in nodes(own):
        before = values.get(text_of(key), (key, None))[1]
        if text_of(key) in _REPLACED:
            before = None
        values[text_of(key)] = (key, _joined(value, before))
    return yaml.MappingNode(own.tag, list(values.values()), own.start_mark, own.end_mark)


def _joined(own: yaml.Node, base: Node) -> yaml.Node:
    if isinstance(own, yaml.SequenceNode) and isinstance(base, yaml.SequenceNode):
        parts = [*base.value, *own.value]
        return yaml.SequenceNode(own.tag, parts, own.start_mark, own.end_mark)
    if isinstance(own, yaml.MappingNode) and isinstance(base, yaml.MappingNode):
        return _over(own, base)
    return own


def _service(name: str, node: yaml.Node, text: str) -> Start:
    image = get(node, "image")
    entry = get(node, "entrypoint")
    container = Container(
        image=word_of(image, text) if image is not None else None,
        entrypoint=command_of(entry, text) if entry is not None else None,
        options=_options(node, text),
    )
    return Start(
        kind=LaunchKind.COMPOSE,
        name=name,
        words=command_of(get(node, "command"), text),
        container=container,
        variables=_environment(get(node, "environment"), text),
        span=first_line(node, text),
    )


def _options(node: yaml.Node, text: str) -> Mapping[str, tuple[Option, ...]]:
    found: dict[str, list[Option]] = defaultdict(list)
    for name, value in nodes(node):
        key = text_of(name)
        if key in _SAME and isinstance(value, yaml.ScalarNode):
            option = replace(option_of(value, text), whole=entry_span(name, value, text))
            found[_SAME[key]].append(option)
        for item in items(value) if key in _LISTS else ():
            found[_LISTS[key]].append(option_of(item, text))
    found.update(_deploy(node, text))
    found.update(_health(get(node, "healthcheck"), "test", text))
    return {name: tuple(options) for name, options in found.items()}


def _deploy(node: yaml.Node, text: str) -> Iterator[tuple[str, list[Option]]]:
    devices = get(node, "deploy", "resources", "reservations", "devices")
    for device in items(devices):
        count, ids = get(device, "count"), get(device, "device_ids")
        value = "all"
        if isinstance(count, yaml.ScalarNode):
            value = str(count.value)
        elif ids is not None:
            value = "device=" + ",".join(text_of(item) for item in items(ids))
        span = span_of(device, text)
        yield "gpus", [Option(value=value, span=span, whole=span)]
        if get(device, "capabilities") is None:
            yield "gpus-without-capabilities", [Option(value="true", span=span, whole=span)]
    policy = get(node, "deploy", "restart_policy", "condition")
    if isinstance(policy, yaml.ScalarNode):
        yield "restart", [option_of(policy, text)]


def _health(node: Node, key: str, text: str) -> Iterator[tuple[str, list[Option]]]:
    test = get(node, key)
    if test is not None:
        words = " ".join(text_of(item) for item in items(test))
        span = span_of(test, text)
        yield "health-cmd", [Option(value=words, span=span, whole=span)]
    period = get(node, "start_period")
    if isinstance(period, yaml.ScalarNode):
        yield "health-start-period", [option_of(period, text)]


def _environment(node: Node, text: str) -> tuple[Variable, ...]:
    if isinstance(node, yaml.SequenceNode):
        return tuple(variable_of(word_of(item, text)) for item in node.value)
    return tuple(
        Variable(
            name=text_of(key),
            value=text_of(value),
            span=span_of(value, text),
            whole=entry_span(key, value, text),
            is_resolved="$" not in text_of(value),
        )
        for key, value in nodes(node)
    )

"""Read the containers of Kubernetes manifests, wherever a pod template holds them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

import yaml

from app.core.clinic.launch import Container, LaunchKind, Option, Start, Variable
from app.core.clinic.yaml_nodes import (
    Node,
    command_of,
    first_line,
    get,
    items,
    option_of,
    pairs,
    span_of,
    text_of,
    word_of,
)


def read_pods(root: yaml.Node, text: str) -> Iterator[Start]:
    """Find ``containers`` wherever a Deployment, a pod or a chart's values hold them."""
    todo = [root]
    while todo:
        node = todo.pop()
        for container in items(get(node, "containers")):
            if get(container, "image") is not None:
                yield _pod_container(container, node, text)
        if isinstance(node, yaml.MappingNode):
            todo += [value for key, value in node.value if text_of(key) != "containers"]
        elif isinstance(node, yaml.SequenceNode):
            todo += list(node.value)


def _pod_container(node: yaml.Node, pod: yaml.Node, text: str) -> Start:
    image, command = get(node, "image"), get(node, "command")
    container = Container(
        image=word_of(image, text) if image is not None else None,
        entrypoint=command_of(command, text) if command is not None else None,
        options=_pod_options(node, pod, text),
    )
    return Start(
        kind=LaunchKind.KUBERNETES,
        name=text_of(get(node, "name")),
        words=command_of(get(node, "args"), text),
        container=container,
        variables=_pod_variables(get(node, "env"), text),
        span=first_line(node, text),
    )


def _pod_options(node: yaml.Node, pod: yaml.Node, text: str) -> Mapping[str, tuple[Option, ...]]:
    found: dict[str, list[Option]] = defaultdict(list)
    for key, value in pairs(get(node, "resources", "limits")):
        if key.endswith("/gpu"):
            found["gpus"].append(option_of(value, text))
    for item in items(get(node, "volumeMounts")):
        path, span = text_of(get(item, "mountPath")), span_of(item, text)
        if path == "/dev/shm":  # noqa: S108 - a mount's path
            found["shm-size"].append(Option(value="memory", span=span, whole=span))
        elif path:
            mount = f"{text_of(get(item, 'name'))}:{path}"
            found["volume"].append(Option(value=mount, span=span, whole=span))
    host = get(pod, "hostNetwork")
    if host is not None and text_of(host) == "true":
        found["network"].append(replace(option_of(host, text), value="host"))
    _add_probes(found, node, text)
    return {name: tuple(options) for name, options in found.items()}


def _pod_variables(node: Node, text: str) -> tuple[Variable, ...]:
    return tuple(
        Variable(
            name=text_of(get(item, "name")),
            value=text_of(get(item, "value")),
            span=span_of(get(item, "value") or item, text),
            whole=span_of(item, text),
            is_resolved=get(item, "value") is not None,
        )
        for item in items(node)
    )


def _add_probes(found: dict[str, list[Option]], node: yaml.Node, text: str) -> None:
    for probe in ("readinessProbe", "livenessProbe", "startupProbe"):
        asked = get(node, probe, "httpGet")
        if asked is None:
            continue
        value = f"http://localhost:{text_of(get(asked, 'port'))}{text_of(get(asked, 'path'))}"
        span = span_of(asked, text)
        found["health-cmd"].append(Option(value=value, span=span, whole=span))
        found[probe].append(Option(value=value, span=span, whole=span))

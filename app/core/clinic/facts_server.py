"""Facts of the engine's server and model: address, port, key, where the model comes from."""

import re
from collections.abc import Iterator

from app.core.clinic.fact_book import Facts
from app.core.clinic.facts_container import LOOPBACK, volume_target
from app.core.clinic.identify import Launch
from app.core.clinic.launch import Container
from app.core.clinic.origin import Span
from app.core.clinic.spec import Grammar


def add_server(facts: Facts, launch: Launch, grammar: Grammar) -> None:
    """Note where the server listens, and whether what is around it fits."""
    host, place = _host(facts, launch, grammar)
    if host is not None:
        facts.set("bind", "loopback" if host in LOOPBACK else "wide", place)
    facts.set("bind_given", place is not None)
    port = _port(facts, launch, grammar)
    facts.set("port", port, facts.places.get("plan.port"))
    if port is not None and isinstance(published := facts.values.get("published"), str):
        facts.set("port_published", f" {port} " in published, facts.places.get("published"))
    if port is not None and isinstance(health := facts.values.get("health_port"), str):
        facts.set("health_port_right", health == port or not health.isdigit(),
                  facts.places.get("health"))  # fmt: skip
    has_key = "key_on_line" in facts.values or f"has_env.{grammar.key_env}" in facts.values
    has_key = has_key or any(f.name == "--api-key-file" for f in launch.split.flags)
    facts.set("has_key", has_key)


def _host(facts: Facts, launch: Launch, grammar: Grammar) -> tuple[str | None, Span | None]:
    for name in ("plan.host", f"env.{grammar.host_env}"):
        if name in facts.places:
            value = facts.values[name]
            text = value if isinstance(value, str) else None
            if text is not None and grammar.engine == "ollama":
                text = re.sub(r"^https?://", "", text).rpartition(":")[0] or text
            return text, facts.places[name]
    inside = launch.image_name.bind_address if launch.image_name else ""
    return inside or grammar.bind_address, None


def _port(facts: Facts, launch: Launch, grammar: Grammar) -> str | None:
    for name in ("plan.port", f"env.{grammar.port_env}"):
        if name in facts.places:
            value = facts.values[name]
            return value if isinstance(value, str) else None
    host = facts.values.get(f"env.{grammar.host_env}")
    if grammar.engine == "ollama" and isinstance(host, str):
        found = re.search(r":(\d+)$", host)
        if found:
            return found[1]
    inside = launch.image_name.port if launch.image_name else None
    return str(inside or grammar.port)


def add_model(facts: Facts, launch: Launch) -> None:
    """Note which model it is, and whether a path is there."""
    model = launch.model
    facts.set("has_model", model is not None)
    if model is None:
        return
    facts.set("model", model.text if model.is_resolved else None, model.span)
    if not model.is_resolved:
        return
    is_path = model.text.startswith(("/", "./", "../", "~"))
    facts.set("model_is_path", is_path, model.span)
    facts.set("model_is_gguf", model.text.lower().endswith(".gguf"), model.span)
    if launch.start.container is not None and is_path:
        facts.set("model_mounted", _is_mounted(model.text, launch), model.span)


def _is_mounted(path: str, launch: Launch) -> bool:
    container = launch.start.container
    if container is None:
        return True
    targets = list(_targets(container))
    if "?" in targets or "volumes-from" in container.options:
        return True
    return any(path == t or path.startswith(t.rstrip("/") + "/") for t in targets)


def _targets(container: Container) -> Iterator[str]:
    for option in container.options.get("volume", ()):
        target = volume_target(option.value)
        yield target
        if not option.is_resolved and "$" in target:
            yield "?"
    for option in container.options.get("mount", ()):
        found = re.search(r"(?:target|dst|destination)=([^,]+)", option.value)
        yield found[1] if found else "?"

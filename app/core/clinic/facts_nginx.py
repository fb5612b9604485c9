"""Facts of nginx: what is in force where it hands requests on."""

import re
from collections.abc import Mapping

from app.core.clinic.fact_book import Facts, size_bytes
from app.core.clinic.launch import LaunchKind, Option
from app.core.units import MIB


def nginx_facts(settings: Mapping[str, Option]) -> Facts:
    """Return what is in force where nginx hands requests on."""
    facts = Facts()
    facts.set("kind", LaunchKind.NGINX.value)
    for name, option in settings.items():
        facts.set(f"ngx.{name}", option.value, option.span, option.whole)
        facts.set(f"has_ngx.{name}", True, option.span, option.whole)
        if re.search(r"(?:_timeout|keepalive_time)$", name):
            facts.set(f"ngx.{name}_s", seconds(option.value), option.span, option.whole)
    passes = settings["proxy_pass"]
    found = re.match(r"https?://[^/\s]+(/\S*)?$", passes.value)
    facts.set("ngx.passes_path", bool(found and found[1]), passes.span, passes.whole)
    location = settings.get("location")
    path = location.value.split()[-1] if location and location.value else "/"
    facts.set("ngx.path", path, location.span if location else passes.span)
    body = settings.get("client_max_body_size")
    size = 1 if body is None else size_bytes(body.value)
    facts.set(
        "ngx.body_mib",
        None if size is None else (1.0 if body is None else size / MIB or 10**6),
        body.span if body else None,
    )
    _streams(facts, settings)
    return facts


def _streams(facts: Facts, settings: Mapping[str, Option]) -> None:
    """Note what directives mean together."""
    body = settings.get("client_max_body_size")
    facts.set("ngx.body_text", body.value if body else "1 MiB (nginx)")
    path = str(facts.values["ngx.path"])
    passes = settings["proxy_pass"]
    found = re.match(r"https?://[^/\s]+(/\S*)$", passes.value)
    cuts = found is not None and re.fullmatch(r"/v1/?", path) is not None
    is_cut = cuts and found is not None and not found[1].startswith("/v1") and "$" not in found[1]
    facts.set("ngx.cuts_v1", is_cut)
    glues = found is not None and not found[1].endswith("/") and "$" not in found[1]
    facts.set("ngx.glues_path", glues and path.endswith("/") and _is_prefix(settings))
    connection = settings.get("proxy_set_header.connection")
    facts.set("ngx.connection_clear", connection is not None and not connection.value.strip())
    is_upgrade = connection is not None and "upgrade" in connection.value.lower()
    facts.set("ngx.connection_upgrade", is_upgrade)
    key = settings.get("proxy_set_header.authorization")
    facts.set("ngx.authorization_cleared", key is not None and not key.value.strip())
    types, gzip = settings.get("gzip_types"), settings.get("gzip")
    words = set(types.value.split()) if types else set()
    is_on = gzip is not None and gzip.value == "on"
    facts.set("ngx.gzips_stream", is_on and bool(words & {"text/event-stream", "*"}))
    again = settings.get("proxy_next_upstream")
    facts.set("ngx.retries_posts", again is not None and "non_idempotent" in again.value)


def _is_prefix(settings: Mapping[str, Option]) -> bool:
    """Say whether the location stands for all paths that begin with it."""
    location = settings.get("location")
    words = location.value.split() if location else []
    return len(words) == 1 or words[:1] == ["^~"]


def seconds(text: str) -> float | None:
    """Return nginx's ``1h30m``, ``300s`` or ``300`` in seconds."""
    units = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "": 1}
    parts = re.findall(r"(\d+)(ms|[smhd]?)", text.partition(" ")[0])
    return sum(float(n) * units[u] for n, u in parts) if parts else None

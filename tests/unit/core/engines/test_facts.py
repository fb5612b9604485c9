"""What the engine files say, against the collected facts that may lie beside a checkout.

The facts tell since when a flag or metric exists and when it was removed. Our bounds may be
narrower, never wider.
"""

import re
from functools import cache
from pathlib import Path

import pytest
from fakes.planning_world import engines

from app.core.versions import VersionScheme, version_key

FACTS = Path(__file__).parents[5] / "shared" / "facts"
NEW = ("lmdeploy", "ollama", "sglang", "tensorrt-llm", "tgi")
ALL = (*NEW, "vllm", "llamacpp")
# llama.cpp has over 300 flags, read from its own help; the facts tell of some.
WITH_FLAGS = (*NEW, "vllm")
# Ours: the files' settings and the words that start them are no flags of the engine.
LINES = {"line 1.2": "1.2.0", "line 1.3": "1.3.0rc0", "line 1.4": "1.4.0rc0"}

pytestmark = pytest.mark.skipif(
    not FACTS.is_dir(), reason="shared cases are not laid beside this checkout"
)


@cache
def facts(engine):
    import yaml

    return yaml.safe_load((FACTS / f"{engine}.yaml").read_text(encoding="utf-8"))


def lowest(text):
    """The earliest version that a fact's wording allows; empty when it names none."""
    words = str(text or "")
    if line := re.match(r"line 1\.\d", words):
        return LINES[line[0]]
    if words.startswith(("<=", "0.0")):
        return ""
    found = re.search(r"b\d+|\d+(?:\.\d+)+(?:rc\d+|\.post\d+)?", words)
    return found[0] if found else ""


@cache
def told_flags(engine):
    """Spelling → the facts of it."""
    data, told = facts(engine), {}
    groups = [
        rows
        for name, rows in data.items()
        if name.startswith("flags") and isinstance(rows, list) and isinstance(rows[0], dict)
    ]
    for row in (row for rows in groups for row in rows):
        if row.get("tool", "serve") != "serve" or row.get("exists") == "never":
            continue
        for name in re.split(r" / |/(?=--)|, ", row["flag"].removeprefix("(env) ")):
            told.setdefault(name.strip(), []).append(row)
    for row in [row for rows in list(told.values()) for row in rows]:
        for alias in row.get("aliases", ()):
            told.setdefault(str(alias).split(" ")[0], []).append(row)
    return told


def key(version, scheme):
    return version_key(version, scheme) if version else None


@pytest.mark.parametrize("engine", WITH_FLAGS)
def test_every_flag_is_told_of_and_lies_within_its_versions(engine):
    data, told = engines()[engine], told_flags(engine)
    scheme, wrong = data.engine.version_scheme, []
    spans = [(rule.name, rule.since, rule.until) for rule in data.flags.flag]
    spans += [
        (name, known.since, known.until)
        for known in data.flags.also_known
        for name in (*known.switches, *known.with_value, *known.names)
    ]
    for name, since, until in spans:
        rows = told.get(name) or told.get(
            name.replace("--no-telemetry", "--telemetry/--no-telemetry")
        )
        if not rows:
            wrong.append(f"{name}: not told of")
            continue
        begin = key(lowest(rows[0].get("since")), scheme)
        if begin is not None and (not since or key(since, scheme) < begin):
            wrong.append(f"{name}: since {since or 'ever'}, told {rows[0]['since']}")
        end = key(lowest(rows[0].get("removed_in")), scheme)
        if end is not None and (not until or key(until, scheme) >= end):
            wrong.append(f"{name}: until {until or 'now'}, told {rows[0]['removed_in']}")
    assert wrong == []


@pytest.mark.parametrize("engine", WITH_FLAGS)
def test_no_flag_that_was_told_of_is_left_out(engine):
    data = engines()[engine]
    named = {s for rule in data.flags.flag for s in (rule.name, rule.negation, *rule.short)}
    for known in data.flags.also_known:
        named |= {*known.switches, *known.with_value, *known.names}
    pattern = r"[A-Z_]+" if engine == "ollama" else r"--[\w.-]+"
    told = {name for name in told_flags(engine) if re.fullmatch(pattern, name)}
    aliases = {
        str(alias).split(" ")[0]
        for rows in told_flags(engine).values()
        for row in rows
        for alias in row.get("aliases", ())
    }
    assert told - aliases - named == set()


def metric_rows(engine):
    found = facts(engine)["metrics"]
    found = found.get("prometheus") or found
    rows = found.get("items") or found.get("list") or []
    return {row["name"]: row for row in rows}


@pytest.mark.parametrize("engine", ALL)
def test_every_metric_is_told_of_with_its_kind(engine):
    told, wrong = metric_rows(engine), []
    prefixed = {name.removeprefix("trtllm_") for name in told}
    for rule in engines()[engine].metrics.metric:
        for name in filter(None, (rule.name, rule.divide_by)):
            plain = name.removesuffix("_sum")
            if plain not in told and plain.removeprefix("trtllm_") not in prefixed:
                wrong.append(f"{name}: not told of")
            kind = str(told.get(plain, {}).get("type", rule.kind)).split(" ")[0]
            if kind != ("histogram" if plain != name else rule.kind) and name == rule.name:
                wrong.append(f"{name}: {rule.kind}, told {kind}")
        since = key(lowest(told.get(rule.name, {}).get("since")), VersionScheme.SEMVER)
        examined = key(engines()[engine].engine.versions[0], VersionScheme.SEMVER)
        ours = key(rule.since, VersionScheme.SEMVER) or examined
        if since is not None and ours < since:
            wrong.append(f"{rule.name}: since {rule.since}, told {told[rule.name]['since']}")
    assert wrong == []


def numbers_of(value):
    """Every driver-like number anywhere in a fact."""
    return set(re.findall(r"\d{3}\.\d+(?:\.\d+)*", str(value)))


@pytest.mark.parametrize("engine", ALL)
def test_every_cuda_and_driver_of_an_image_is_told_of(engine):
    import yaml

    stack = yaml.safe_load((FACTS / "stack-compat.yaml").read_text(encoding="utf-8"))
    told = numbers_of(facts(engine)) | numbers_of(stack)
    for image in engines()[engine].engine.image:
        for driver in filter(None, (image.min_driver, image.compat_min_driver)):
            assert any(number.startswith(driver) or driver.startswith(number) for number in told)
        assert not image.cuda or image.cuda.split(".")[0] in str(facts(engine))


@pytest.mark.parametrize("engine", NEW)
def test_every_generation_of_an_image_is_told_of_and_not_refused(engine):
    hardware = facts(engine)["hardware"]
    rows = {row["cc"]: row for row in hardware.get("capabilities", ())} or dict(hardware["nvidia"])
    wide = {"5.0", "5.2", "6.0", "6.1", "6.2"}
    for image in engines()[engine].engine.image:
        for cap in {*image.compute_capabilities, *image.jit_capabilities} - wide:
            assert cap in rows, f"{image.id}: {cap}"
            told = rows[cap]
            supported = told.get("supported", "") if isinstance(told, dict) else told
            assert supported not in (False, "no"), f"{image.id}: {cap}"


@pytest.mark.parametrize("engine", NEW)
def test_ports_addresses_and_paths_are_those_told_of(engine):
    server, told = engines()[engine].engine.server, str(facts(engine))
    # The image's own port is 80, which needs a right that our containers do not have.
    port = 80 if engine == "tgi" else server.container_port
    assert str(port) in told
    assert server.health_path in told
    assert not server.metrics_path or server.metrics_path in told
    if engine in ("sglang", "tensorrt-llm"):
        assert facts(engine)["image_facts"]["default_host"] in ("127.0.0.1", "localhost")
        assert server.bind_address == "0.0.0.0"
        assert any(rule.plan_field == "host" for rule in engines()[engine].flags.flag)

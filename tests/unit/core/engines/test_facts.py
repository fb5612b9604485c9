"""What the engine files say, against the collected facts that may lie beside a checkout.

Both ways: nothing is said that no fact tells, and every flag and metric that a fact tells of is in
the file, there and absent in the same versions.
"""

import re

import pytest
from fakes.engine_facts import FACTS, facts, told_flags, told_metrics
from fakes.planning_world import engines

from app.core.versions import in_span

NEW = ("lmdeploy", "ollama", "sglang", "tensorrt-llm", "tgi")
ALL = (*NEW, "vllm", "llamacpp")
# llama.cpp's flags were read from its own help; the facts tell of some of them.
EXHAUSTIVE = (*NEW, "vllm")
# Words that a request or a Modelfile takes; no server is started with them.
OF_REQUESTS = {"ollama": r"[A-Z_]+"}
# The parser at the release's own tag speaks against the fact; ours follow the parser.
REFUTED = {
    "lmdeploy": {
        "--allow-terminate-by-client", "--dist-init-addr", "--dp", "--ep", "--max-log-len",
    },
}  # fmt: skip
# Read by the start script that Pitwall gives the container, not by the engine.
OUR_OWN = {"num_ctx"}
# Whole families, told of by their beginning.
FAMILIES = {"--yarn-*"}

pytestmark = pytest.mark.skipif(
    not FACTS.is_dir(), reason="shared cases are not laid beside this checkout"
)


def scheme_of(engine):
    return engines()[engine].engine.version_scheme


def our_flags(engine):
    """Spelling → the spans in which it is accepted."""
    spans = {}
    for rule in engines()[engine].flags.flag:
        for name in filter(None, (rule.name, rule.negation, *rule.short)):
            spans.setdefault(name, []).append((rule.since, rule.until))
    for known in engines()[engine].flags.also_known:
        for name in known.every:
            spans.setdefault(name, []).append((known.since, known.until))
    return spans


def is_ours(spans, version, scheme):
    return any(in_span(version, since, until, scheme) for since, until in spans)


def is_told(rows, version):
    answers = {told.is_there(version) for told in rows}
    if True in answers:
        return True
    return None if None in answers else False


def read_in_the_parser(engine):
    """Flags that no fact tells of because they were read where the engine itself takes them."""
    return {
        name
        for known in engines()[engine].flags.also_known
        for name in known.every
        if "argument parser" in known.source
    }


@pytest.mark.parametrize("engine", EXHAUSTIVE)
def test_every_flag_is_told_of(engine):
    told = told_flags(engine, scheme_of(engine))
    negations = {rule.negation for rule in engines()[engine].flags.flag}
    shorts = {name for rule in engines()[engine].flags.flag for name in rule.short}
    unsourced = set(our_flags(engine)) - set(told) - negations - shorts
    assert unsourced - read_in_the_parser(engine) - OUR_OWN == set()


@pytest.mark.parametrize("engine", ALL)
def test_no_flag_that_was_told_of_is_left_out(engine):
    pattern = OF_REQUESTS.get(engine, r"--[\w.*-]+")
    told = {
        name
        for name, rows in told_flags(engine, scheme_of(engine)).items()
        if re.fullmatch(pattern, name) and any(name in str(row["flag"]) for row, _ in rows)
    }
    assert told - set(our_flags(engine)) - FAMILIES == set()
    names = set(our_flags(engine))
    for family in told & FAMILIES:
        assert any(name.startswith(family.removesuffix("*")) for name in names)


@pytest.mark.parametrize("engine", ALL)
def test_flags_are_there_in_the_versions_that_were_told(engine):
    scheme, ours, wrong = scheme_of(engine), our_flags(engine), []
    full_names = {rule.name for rule in engines()[engine].flags.flag}
    for name, rows in told_flags(engine, scheme).items():
        # argparse takes the beginning of a flag for the flag, so an alias may be older than told.
        is_beginning = name not in full_names and any(n.startswith(name) for n in full_names)
        if name not in ours or is_beginning or name in OUR_OWN or name in REFUTED.get(engine, ()):
            continue
        for version in engines()[engine].engine.versions:
            told = is_told([told for _, told in rows], version)
            if told is not None and told != is_ours(ours[name], version, scheme):
                wrong.append(f"{name} in {version}: told {told}, ours {ours[name]}")
    assert wrong == []


@pytest.mark.parametrize("engine", ALL)
def test_choices_are_those_that_were_told(engine):
    told, wrong = told_flags(engine, scheme_of(engine)), []
    for rule in engines()[engine].flags.flag:
        for row, _ in told.get(rule.name, ()):
            listed = row.get("choices")
            if not isinstance(listed, list) or not rule.choices:
                continue
            words = {re.split(r"[ |]", str(word))[0] for word in listed}
            if words - set(rule.choices) or (set(rule.choices) - words and not rule.open_choices):
                wrong.append(f"{rule.name}: {sorted(words)}, ours {sorted(rule.choices)}")
    assert wrong == []


def our_metrics(engine):
    """Name → kind and spans."""
    file, ours = engines()[engine].metrics, {}
    for rule in file.metric:
        for name in filter(None, (rule.name, rule.divide_by)):
            kind = "histogram" if name.endswith("_sum") else rule.kind
            plain = told_name(engine, name.removesuffix("_sum"))
            ours.setdefault(plain, (kind, []))[1].append((rule.since, rule.until))
    for known in file.also_known:
        for name in known.names:
            plain = told_name(engine, name)
            ours.setdefault(plain, (known.kind, []))[1].append((known.since, known.until))
    return ours


@pytest.mark.parametrize("engine", ALL)
def test_metrics_are_those_that_were_told_with_their_kind(engine):
    told, ours = told_metrics(engine, scheme_of(engine)), our_metrics(engine)
    assert {name: kind for name, (kind, _) in ours.items()} == {
        name: kind for name, (kind, _) in told.items()
    }


def told_name(engine, name):
    """TensorRT-LLM's names got their prefix in one version; the facts write it where it is now."""
    told = told_metrics(engine, scheme_of(engine))
    for other in (name, f"trtllm_{name}", name.removeprefix("trtllm_")):
        if other in told:
            return other
    return name


@pytest.mark.parametrize("engine", ALL)
def test_metrics_are_there_in_the_versions_that_were_told(engine):
    scheme, wrong = scheme_of(engine), []
    told = told_metrics(engine, scheme)
    # Removed between two examined builds: there, what the server really answers decides.
    file = engines()[engine].metrics
    doubted = {gone.metric for gone in file.not_exposed}
    open_ended = {rule.name for rule in file.metric if rule.metric in doubted and not rule.until}
    for name, (_, spans) in our_metrics(engine).items():
        for version in engines()[engine].engine.versions:
            fact = told[name][1].is_there(version)
            if fact is False and name in open_ended:
                continue
            if fact is not None and fact != is_ours(spans, version, scheme):
                wrong.append(f"{name} in {version}: told {fact}, ours {spans}")
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


@pytest.mark.parametrize("engine", ALL)
def test_every_image_comes_from_a_repository_that_was_told(engine):
    for image in engines()[engine].engine.image:
        assert image.reference.partition(":")[0] in str(facts(engine))


@pytest.mark.parametrize("engine", ALL)
def test_every_planned_version_has_an_image(engine):
    data = engines()[engine].engine
    for version in data.versions:
        assert any(
            in_span(version, image.since, image.until, data.version_scheme) for image in data.image
        ), version


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


@pytest.mark.parametrize("engine", ALL)
def test_every_path_that_stays_open_is_told_of(engine):
    told = str(facts(engine))
    for entry in engines()[engine].engine.server.behaviour:
        for path in entry.open_paths:
            assert path in told, path

"""The shipped engine files agree with themselves and with the code."""

import re

import pytest
from fakes.planning_world import engines

from app.core.engines.flags import value_fits
from app.core.engines.images import proposed_versions
from app.core.engines.names import ENGINE_NAMES, engine_title
from app.core.engines.parameters import Parameters
from app.core.engines.spec import SCHEMA_VERSION, FlagType, PlanField, ServerTopic
from app.core.versions import capability_key, driver_key, in_span, version_key
from app.io.datafiles import data_root, load_calibration

ALL = sorted(engines())
PLANNED = [name for name in ALL if engines()[name].engine.plannable]
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def texts(value):
    if hasattr(value, "zh_CN"):
        yield value
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from texts(getattr(value, name))
    elif isinstance(value, tuple):
        for item in value:
            yield from texts(item)


def sourced(value):
    if hasattr(value, "__dataclass_fields__"):
        if "source" in value.__dataclass_fields__:
            yield value
        for name in value.__dataclass_fields__:
            yield from sourced(getattr(value, name))
    elif isinstance(value, tuple):
        for item in value:
            yield from sourced(item)


def test_the_seven_engines_and_the_refused_one_are_known():
    assert ALL == [
        "deepspeed-mii",
        "llamacpp",
        "lmdeploy",
        "ollama",
        "sglang",
        "tensorrt-llm",
        "tgi",
        "vllm",
    ]


@pytest.mark.parametrize("engine", ALL)
def test_every_fact_has_a_source_and_a_date(engine):
    data = engines()[engine]
    files = (data.engine, data.flags, data.metrics, data.startup)
    for fact in (fact for file in files for fact in sourced(file)):
        assert fact.source
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", fact.checked)


@pytest.mark.parametrize("engine", ALL)
def test_every_entry_can_carry_a_source(engine):
    data = engines()[engine]
    for file in (data.engine, data.flags, data.metrics, data.startup):
        for name in file.__dataclass_fields__:
            value = getattr(file, name)
            entries = value if isinstance(value, tuple) else (value,)
            for entry in (e for e in entries if hasattr(e, "__dataclass_fields__")):
                assert hasattr(entry, "zh_CN") or {"source", "checked"} <= set(
                    entry.__dataclass_fields__
                )


@pytest.mark.parametrize("engine", ALL)
def test_every_text_is_there_in_both_languages(engine):
    data = engines()[engine]
    files = (data.engine, data.flags, data.metrics, data.startup)
    for text in (text for file in files for text in texts(file)):
        assert text.en.strip()
        assert CHINESE.search(text.zh_CN), text.en


@pytest.mark.parametrize("engine", ALL)
def test_what_is_not_planned_says_why(engine):
    file = engines()[engine].engine
    assert file.schema_version == SCHEMA_VERSION
    assert file.plannable or file.why_not is not None


def test_planner_and_memory_model_know_one_default_fraction():
    file = engines()["vllm"].engine
    measured = load_calibration(data_root()).vllm.fraction_default
    for version in file.versions:
        planned = next(
            rule.value
            for rule in file.memory_fraction
            if in_span(version, rule.since, rule.until, file.version_scheme)
        )
        estimated = next(
            entry.fraction
            for entry in measured
            if in_span(version, entry.since, entry.until, file.version_scheme)
        )
        assert planned == estimated, version


@pytest.mark.parametrize("engine", ALL)
def test_all_versions_drivers_and_capabilities_can_be_compared(engine):
    data = engines()[engine]
    scheme = data.engine.version_scheme
    rules = (*data.engine.image, *data.engine.entrypoint, *data.flags.flag, *data.engine.always)
    for rule in rules:
        for version in (rule.since, getattr(rule, "until", "")):
            assert not version or version_key(version, scheme) is not None
    for image in data.engine.image:
        for driver in (image.min_driver, image.compat_min_driver, image.jit_min_driver):
            assert not driver or driver_key(driver)
        for cap in (*image.compute_capabilities, *image.jit_capabilities):
            assert capability_key(cap) is not None
    assert list(proposed_versions(data.engine))


@pytest.mark.parametrize("engine", PLANNED)
def test_plannable_engine_can_be_started_and_reached(engine):
    file = engines()[engine].engine
    assert file.server is not None
    assert file.entrypoint
    assert file.container is not None


@pytest.mark.parametrize("engine", PLANNED)
def test_no_two_rules_of_one_flag_hold_for_one_version(engine):

    data = engines()[engine]
    for version in data.engine.versions:
        seen = [
            rule.name
            for rule in data.flags.flag
            if in_span(version, rule.since, rule.until, data.engine.version_scheme)
        ]
        assert len(seen) == len(set(seen))


@pytest.mark.parametrize("engine", PLANNED)
def test_flag_that_is_only_known_stands_in_one_group(engine):
    data = engines()[engine]
    described = {
        name for rule in data.flags.flag for name in (rule.name, rule.negation, *rule.short)
    }
    known = [name for group in data.flags.also_known for name in group.every]
    assert len(known) == len(set(known))
    assert not described & set(known)


@pytest.mark.parametrize("engine", PLANNED)
def test_flags_that_pitwall_sets_are_in_the_table(engine):
    data = engines()[engine]
    names = {rule.name: rule for rule in data.flags.flag}
    for always in data.engine.always:
        rule = names[always.flag]
        assert always.value is None or value_fits(rule, always.value)


def test_plan_fields_are_parameters_or_belong_to_the_deployment():
    parameters = set(Parameters.__dataclass_fields__)
    beside = {
        "model", "served_name", "host", "port", "api_key",
        "enforce_eager", "quantization", "block_size", "data_parallel_size",
    }  # fmt: skip
    assert {field.value for field in PlanField} <= parameters | beside


def test_enum_flags_list_their_choices():
    for data in engines().values():
        for rule in data.flags.flag:
            assert rule.type is not FlagType.ENUM or rule.choices


@pytest.mark.parametrize("engine", PLANNED)
@pytest.mark.parametrize("topic", list(ServerTopic))
def test_ready_stop_and_auth_are_told_once_for_every_version(engine, topic):
    file = engines()[engine].engine
    for version in file.versions:
        told = [
            entry
            for entry in file.server.behaviour
            if entry.topic is topic
            and in_span(version, entry.since, entry.until, file.version_scheme)
        ]
        assert len(told) == 1, version
        if topic is ServerTopic.AUTH and file.server.api_key_env:
            assert told[0].open_paths or version < file.server.api_key_since


def test_names_are_those_of_the_engine_files():
    assert dict(ENGINE_NAMES) == {one: data.engine.name for one, data in engines().items()}
    assert engine_title("vllm", "0.32.0") == "vLLM 0.32.0"
    assert engine_title("other") == "other"

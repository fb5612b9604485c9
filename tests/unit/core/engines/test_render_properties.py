"""Whatever a plan holds, no version is started with a flag or value that it does not take."""

import pytest
from fakes.planning_world import engines, gguf_model, safetensors_model
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.engines.flags import GivenFlag, check_flags, read_flags
from app.core.engines.parameters import Parameters
from app.core.engines.render import Placement, render
from app.core.engines.spec import PlanField
from app.core.models.lora import LoraAdapter
from app.core.planning.adapters import adapter_flags
from app.core.versions import in_span

PLANNED = sorted(name for name, data in engines().items() if data.engine.plannable)
ADAPTERS = (
    LoraAdapter(name="support", path="/adapters/support", rank=16, size_bytes=2**25),
    LoraAdapter(name="legal", path="/adapters/legal", rank=64, size_bytes=2**26),
)


def there(data, version, rules):
    """Those of the rules that hold for a version."""
    scheme = data.engine.version_scheme
    return [rule for rule in rules if in_span(version, rule.since, rule.until, scheme)]


def speculation(data, version):
    carried = there(data, version, data.flags.flag)
    rules = [rule for rule in carried if rule.plan_field is PlanField.SPECULATIVE]
    return [None, *(["mtp"] if any("mtp" in rule.values for rule in rules) else [])]


@st.composite
def plans(draw):
    """An engine, one of its versions, and plan values that this version can have."""
    engine = draw(st.sampled_from(PLANNED))
    data = engines()[engine]
    version = draw(st.sampled_from(data.engine.versions))
    split = data.engine.layer_split
    gpus = st.sampled_from([1, 2, 4, 8])
    parameters = Parameters(
        context_tokens=draw(st.integers(64, 2**20)),
        concurrency=draw(st.integers(1, 1024)),
        tensor_parallel_size=1 if split else draw(gpus),
        pipeline_parallel_size=1 if split else draw(gpus),
        expert_parallel_size=None if split else draw(st.none() | gpus),
        memory_fraction=None if split else draw(st.none() | st.integers(5, 98).map(hundredths)),
        kv_dtype=draw(
            st.sampled_from([rule.dtype for rule in there(data, version, data.engine.kv_dtype)])
        ),
        dtype=draw(st.sampled_from(["auto", "float16", "bfloat16"])),
        gpu_layers=draw(st.none() | st.integers(0, 99)) if split else None,
        cpu_moe_layers=draw(st.none() | st.integers(0, 60)) if split else None,
        gpu_overhead_bytes=draw(st.none() | st.integers(0, 2**34)),
        threads=draw(st.none() | st.integers(1, 256)),
        prefill_tokens=draw(st.none() | st.integers(64, 65536)),
        prefix_caching=draw(st.none() | st.booleans()),
        speculative=draw(st.sampled_from(speculation(data, version))),
        enforce_eager=draw(st.none() | st.booleans()),
        kv_cache_bytes=draw(st.none() | st.integers(2**20, 2**40)),
    )
    return engine, version, parameters


def hundredths(number):
    return number / 100


@settings(max_examples=150, deadline=None)
@given(plans())
def test_no_version_is_started_with_what_it_does_not_take(plan):
    engine, version, parameters = plan
    data = engines()[engine]
    model = gguf_model() if "gguf" in data.engine.formats else safetensors_model()
    image = there(data, version, data.engine.image)[0]
    rendered = render(
        data, version, parameters, model, image=image, placement=Placement(name="chat")
    )
    flags = [GivenFlag(name=flag.name, value=flag.value) for flag in rendered.flags]
    assert check_flags(flags, data.flags, data.engine, version) == ()


@pytest.mark.parametrize("engine", PLANNED)
def test_flags_of_adapters_are_those_of_the_version(engine):
    data = engines()[engine]
    for version in data.engine.versions:
        words = [
            word
            for flag in adapter_flags(data.engine, version, ADAPTERS)
            for word in (flag.name, *([flag.value] if flag.value is not None else []))
        ]
        given_flags = read_flags(words, data.flags, data.engine, version)
        assert check_flags(given_flags, data.flags, data.engine, version) == (), version

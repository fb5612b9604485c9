"""An answer that the estimate's own error may turn round is no answer."""

from dataclasses import replace

import pytest

from app.core.models.config import read_config
from app.core.models.estimate import Device, EstimateOptions, estimate_memory
from app.core.models.limit_texts import limit_text
from app.core.models.memory import Limit, certain_fit
from app.core.units import GIB

CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "intermediate_size": 14336,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "torch_dtype": "bfloat16",
}
RTX_4090 = Device(
    name="NVIDIA GeForce RTX 4090", memory_total_mib=24564, compute_cap="8.9", count=1
)


def _estimate(calibration, *, engine="vllm", version="0.11.0", device=RTX_4090, **options):
    return estimate_memory(
        model=read_config(CONFIG, name="8b"),
        engine=engine,
        version=version,
        device=device,
        options=EstimateOptions(**options),
        calibration=calibration,
    )


@pytest.mark.parametrize(("engine", "version"), [("vllm", "0.11.0"), ("sglang", "0.5.5")])
def test_between_surely_too_long_and_surely_short_enough_lies_unknown(calibration, engine, version):
    answers = [
        certain_fit(
            _estimate(calibration, engine=engine, version=version, context_tokens=context)
        ).fits
        for context in range(1024, 131072, 4096)
    ]
    changes = [answer for answer, last in zip(answers, [None, *answers], strict=False)
               if answer != last]  # fmt: skip
    assert changes[-2:] == ["unknown", False]
    assert changes[:-1] in ([True, "unknown"], ["unknown"])


def test_what_is_unknown_says_how_far_off_the_figures_may_be(calibration):
    plain = _estimate(calibration, context_tokens=1024)
    near = replace(plain, fits=False, margin_bytes=-GIB, uncertain_bytes=2 * GIB)
    answer = certain_fit(near)
    assert answer.fits == "unknown"
    assert "2.0 GiB" in limit_text(answer.limits[-1]).en
    assert "2.0 GiB" in limit_text(answer.limits[-1]).zh_CN


@pytest.mark.parametrize(
    "refusal", [Limit.TOO_FEW_GPUS, Limit.HEADS_NOT_DIVISIBLE, Limit.MEMORY_IN_USE]
)
def test_what_memory_would_not_mend_stays_refused(calibration, refusal):
    plain = _estimate(calibration, context_tokens=1024)
    refused = replace(
        plain, fits=False, margin_bytes=0, uncertain_bytes=GIB, limits=(f"{refusal}:1",)
    )
    assert certain_fit(refused) is refused


def test_where_it_was_measured_the_answer_stands(calibration):
    h200 = Device(name="NVIDIA H200", memory_total_mib=143771, compute_cap="9.0", count=1)
    measured = _estimate(calibration, version="0.26.0", device=h200)
    assert certain_fit(measured) is measured
    assert measured.fits is True

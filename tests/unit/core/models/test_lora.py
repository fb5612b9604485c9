"""adapter_config.json → LoraAdapter, and the room an engine sets aside for it."""

import pytest

from app.core.errors import AppError, ErrorCode
from app.core.models.config import read_config
from app.core.models.lora import adapter_weights, base_differs, read_adapter, with_adapters
from tests.unit.core.models.builders import LLAMA_8B

CONFIG = {
    "peft_type": "LORA",
    "r": 8,
    "lora_alpha": 16,
    "target_modules": ["model.layers.0.self_attn.q_proj", "v_proj"],
    "base_model_name_or_path": "meta-llama/Llama-3.1-8B",
    "rank_pattern": {"v_proj": 32},
}


def adapter(**changes):
    return read_adapter({**CONFIG, **changes}, name="a", path="/a", size_bytes=7)


def test_the_largest_rank_and_the_targeted_modules_are_read():
    found = adapter()
    assert (found.rank, found.alpha, found.size_bytes) == (32, 16.0, 7)
    assert found.target_modules == ("q_proj", "v_proj")
    assert adapter(target_modules="all-linear").target_modules == ("all-linear",)
    assert adapter(lora_alpha=None, rank_pattern=None).alpha is None


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"peft_type": "IA3"}, "peft_type"),
        ({"peft_type": None}, "peft_type"),
        ({"r": None}, "r"),
        ({"r": -8}, "r"),
        ({"r": 100_000}, "r"),
        ({"target_modules": 3}, "target_modules"),
        ({"use_dora": "yes"}, "use_dora"),
    ],
)
def test_a_broken_field_is_named(changes, field):
    with pytest.raises(AppError) as caught:
        adapter(**changes)
    assert caught.value.code is ErrorCode.MODEL_CONFIG_BROKEN
    assert caught.value.params["field"] == field
    assert caught.value.params["file"] == "adapter_config.json"


def test_room_grows_with_rank_slots_and_modules():
    arch = read_config(LLAMA_8B, name="m").architecture

    def room(**options):
        return sum(extra.parameters for extra in adapter_weights(arch, **options))

    assert room(rank=16, slots=1) == 41_943_040
    assert room(rank=32, slots=2) == 4 * room(rank=16, slots=1)
    assert room(rank=16, slots=1, modules=("q_proj",)) == 16 * 32 * 8192


def test_a_checkpoint_grows_with_the_formula():
    model = read_config(LLAMA_8B, name="m", weights_bytes=16_060_522_496)
    served = with_adapters(model, rank=16, slots=1)
    assert served.weights_bytes - model.weights_bytes == 2 * 41_943_040
    bare = with_adapters(read_config(LLAMA_8B, name="m"), rank=16, slots=1)
    assert bare.weights_bytes is None


def test_another_base_model_is_noticed_by_the_last_part_of_its_name():
    model = read_config(LLAMA_8B, name="/models/llama-3.1-8b")
    assert not base_differs(adapter(), model)
    assert not base_differs(adapter(base_model_name_or_path=None), model)
    assert base_differs(adapter(base_model_name_or_path="x/other"), model)

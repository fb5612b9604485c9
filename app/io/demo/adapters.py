"""A LoRA adapter of the demo host: a made-up configuration of the usual kind, and no weights."""

import json
from collections.abc import Mapping
from typing import Final

from app.core.models.config import read_config
from app.core.models.lora import ADAPTER_CONFIG, ADAPTER_WEIGHTS, module_shapes
from app.io.demo.files import VirtualFile

FOLDER: Final = "/models/adapters"
NAME: Final = "house-style"
_RANK: Final = 16
_TARGETS: Final = ("q_proj", "k_proj", "v_proj", "o_proj")
_MARK: Final = "simulated: a made-up adapter without weights"


def adapter_files(base: str, config: Mapping[str, object]) -> Mapping[str, VirtualFile]:
    """Return the files of an adapter for the model of this name and configuration."""
    architecture = read_config(config, name=base).architecture
    shapes = module_shapes(architecture)
    values = sum(sum(shapes[name]) for name in _TARGETS) * _RANK * architecture.layers
    told = {
        "_comment": _MARK,
        "peft_type": "LORA",
        "base_model_name_or_path": base,
        "r": _RANK,
        "lora_alpha": 2 * _RANK,
        "target_modules": _TARGETS,
    }
    text = json.dumps(told, indent=2).encode()
    return {
        ADAPTER_CONFIG: VirtualFile(size_bytes=len(text), head=lambda: text),
        ADAPTER_WEIGHTS[0]: VirtualFile(size_bytes=4 * values, head=lambda: b""),
    }

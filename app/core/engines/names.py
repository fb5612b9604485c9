"""The engines' own names, for places that show one before any engine's data is read."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

ENGINE_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "deepspeed-mii": "DeepSpeed-MII",
        "llamacpp": "llama.cpp",
        "lmdeploy": "LMDeploy",
        "ollama": "Ollama",
        "sglang": "SGLang",
        "tensorrt-llm": "TensorRT-LLM",
        "tgi": "Text Generation Inference",
        "vllm": "vLLM",
    }
)
"""By id; a test holds them against ``engine.toml``."""


def engine_title(engine: str, version: str = "") -> str:
    """Return an engine's name with a version: ``vLLM 0.32.0``; an unknown id stays as it is."""
    return f"{ENGINE_NAMES.get(engine, engine)} {version}".strip()

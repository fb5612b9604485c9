"""Which models lie in the folders of a host, judged by file names and sizes alone."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from app.core.models.architecture import ModelFile, ModelFormat
from app.core.models.gguf import split_names
from app.core.models.gguf_types import FILE_TYPES

CONFIG: Final = "config.json"

_HUB: Final = re.compile(r"models--(?P<name>[^/]+)/snapshots/(?P<revision>[^/]+)$")
_TOKENIZER: Final = frozenset(
    {"tokenizer.json", "tokenizer.model", "vocab.json", "tiktoken.model", "tekken.json"}
)
_WEIGHTS: Final = (".safetensors", ".bin", ".pt", ".pth")
_PART: Final = re.compile(r"-(\d{5})-of-\d{5}$")
_WORD: Final = re.compile(r"[-. /]+")
_QUANTIZATIONS: Final = frozenset(FILE_TYPES.values()) | {
    "AWQ", "GPTQ", "FP8", "FP4", "MXFP4", "INT8", "INT4", "W8A8", "W4A16", "4BIT", "8BIT"
}  # fmt: skip
"""Words by which the authors of models name how the weights are stored."""
_NOT_WEIGHTS: Final = frozenset({"training_args.bin", "optimizer.bin", "scheduler.bin"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A folder with its files; links are followed, so sizes are those of the real files."""

    path: str
    files: tuple[ModelFile, ...]
    folders: tuple[str, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """Names of the files."""
        return frozenset(file.name for file in self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCandidate:
    """Something that looks like a model; nothing of it was read yet."""

    path: str
    """Folder, or the (first) GGUF file."""
    name: str
    format: ModelFormat
    size_bytes: int | None
    """Weights on disk; ``None`` when the folder holds none."""
    revision: str = ""
    """Commit of a Hugging Face cache; empty elsewhere."""

    @property
    def quantization(self) -> str:
        """What the name says of the weights; empty when it says nothing."""
        return quantization_named(self.name)


def candidates(folders: Iterable[Folder]) -> tuple[ModelCandidate, ...]:
    """Return the models in these folders, sorted by name and path."""
    found = [model for folder in folders for model in _of(folder)]
    return tuple(sorted(found, key=lambda model: (model.name.lower(), model.path)))


def _of(folder: Folder) -> list[ModelCandidate]:
    found = gguf_models(folder)
    if CONFIG not in folder.names:
        return found
    weights = weight_files(folder)
    if not weights and not folder.names & _TOKENIZER:
        # Many programs keep a config.json; without weights or tokenizer it is no model.
        return found
    formatted = any(file.name.endswith(".safetensors") for file in weights)
    found.append(
        ModelCandidate(
            path=folder.path,
            name=model_name(folder.path),
            format=ModelFormat.SAFETENSORS if formatted else ModelFormat.UNKNOWN,
            size_bytes=sum(file.size_bytes for file in weights) or None,
            revision=revision_of(folder.path),
        )
    )
    return found


def revision_of(path: str) -> str:
    """Return the commit that a folder of a Hugging Face cache holds; empty for other folders."""
    match = _HUB.search(path.rstrip("/"))
    return match["revision"] if match is not None else ""


def model_name(path: str) -> str:
    """Return what a model is called by where it lies.

    Example:
        >>> model_name("/root/.cache/huggingface/hub/models--Qwen--Qwen3-8B/snapshots/9c92")
        'Qwen/Qwen3-8B'
        >>> model_name("/models/qwen2.5-7b/"), model_name("/models/m-Q4_K_M-00001-of-00002.gguf")
        ('qwen2.5-7b', 'm-Q4_K_M')
    """
    clean = path.rstrip("/")
    match = _HUB.search(clean)
    if match is not None:
        return match["name"].replace("--", "/")
    last = clean.rsplit("/", maxsplit=1)[-1] or clean or "model"
    if last.lower().endswith(".gguf"):
        return _PART.sub("", last[: -len(".gguf")])
    return last


def quantization_named(name: str) -> str:
    """Return the quantization that a model's name carries; nothing of the model is read.

    Example:
        >>> quantization_named("qwen2.5-7b-instruct-q4_k_m"), quantization_named("Qwen3-8B-FP8")
        ('Q4_K_M', 'FP8')
        >>> quantization_named("llama-3.1-8b")
        ''
    """
    for word in reversed(_WORD.split(name)):
        if word.upper() in _QUANTIZATIONS:
            return word.upper()
    return ""


def weight_files(folder: Folder) -> tuple[ModelFile, ...]:
    """Return the files that hold the weights, each weight once.

    Safetensors before older formats; Mistral's ``consolidated`` copy only where nothing else is.
    """
    by_kind = [
        tuple(
            file
            for file in folder.files
            if file.name.endswith(kind) and file.name not in _NOT_WEIGHTS
        )
        for kind in _WEIGHTS
    ]
    weights = next((files for files in by_kind if files), ())
    plain = tuple(file for file in weights if not file.name.startswith("consolidated"))
    return plain or weights


def gguf_models(folder: Folder) -> list[ModelCandidate]:
    """Return a folder's GGUF models: single files and splits, no projectors of vision models."""
    sizes = {file.name: file.size_bytes for file in folder.files}
    found = []
    for name in sorted(sizes):
        parts = split_names(name)
        if not name.lower().endswith(".gguf") or name != parts[0] or "mmproj" in name.lower():
            continue
        found.append(
            ModelCandidate(
                path=f"{folder.path.rstrip('/')}/{name}",
                name=model_name(name),
                format=ModelFormat.GGUF,
                size_bytes=sum(sizes.get(part, 0) for part in parts),
            )
        )
    return found


def has_tokenizer(folder: Folder) -> bool:
    """Tell whether a tokenizer lies beside the weights."""
    return bool(folder.names & _TOKENIZER)

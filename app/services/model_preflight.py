"""Look at a model on a host before an engine loads it: is it whole, and where does it lie?

Headers, small texts, a listing and one read-only script; measuring the disk only when asked.
"""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from app.core.errors import ErrorCode, HostError, PlanError
from app.core.models.architecture import ModelFile, ModelInfo
from app.core.models.config import parse_config_text, read_config
from app.core.models.folders import (
    CONFIG,
    Folder,
    gguf_models,
    has_tokenizer,
    model_name,
    weight_files,
)
from app.core.models.gguf import GgufPart, model_from_gguf, split_names
from app.core.models.gguf_header import header_steps as gguf_steps
from app.core.models.preflight import (
    Damage,
    DamagedFile,
    ModelFacts,
    ModelPreflight,
    Storage,
)
from app.core.models.preflight_judges import judge_model
from app.core.models.safetensors import INDEX_NAME, LFS_POINTER, ShardIndex, parse_index
from app.core.models.safetensors import header_steps as safetensors_steps
from app.io.model_checks import look_around, measure_reading
from app.io.transport.base import Transport
from app.services.model_headers import HeaderReader

_POINTER_BYTES: Final = 512
"""No pointer is longer, and no real tokenizer or weight file so short."""
_INDEXES: Final = (INDEX_NAME, "pytorch_model.bin.index.json")
_TEMPLATES: Final = ("chat_template.jinja", "chat_template.json")
_LOST: Final = frozenset(
    {ErrorCode.CONNECTION_LOST, ErrorCode.NOT_CONNECTED, ErrorCode.COMMAND_TIMEOUT}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weights:
    """What the headers of the weight files say."""

    damaged: tuple[DamagedFile, ...] = ()
    unread: tuple[str, ...] = ()
    total_bytes: int = 0


class PreflightLook:
    """One look at one model over one connection."""

    def __init__(self, transport: Transport, *, measure: bool) -> None:
        self._transport = transport
        self._measure = measure
        self._reader = HeaderReader(transport)

    async def at(self, folder: Folder, gguf: str | None) -> ModelPreflight:
        """Look at a folder with a config, or at a GGUF file in it.

        Raises:
            HostError: COMMAND_TIMEOUT, CONNECTION_LOST.
        """
        facts = await (self._folder(folder) if gguf is None else self._gguf(folder, gguf))
        around = await look_around(self._transport, folder.path)
        storage = await self._measured(around.storage, folder, facts)
        return judge_model(
            replace(
                facts,
                storage=storage,
                broken_links=around.broken_links,
                unfinished=around.unfinished,
            )
        )

    async def _measured(self, storage: Storage, folder: Folder, facts: ModelFacts) -> Storage:
        """Add how fast the largest weight file is read, or why that is not known."""
        files = [file for file in folder.files if file.name in facts.weight_files]
        if not self._measure or not files:
            why = "the disk's speed was not measured" if files else "there are no weights"
            return replace(storage, speed_reason=why)
        largest = max(files, key=lambda file: file.size_bytes)
        path = posixpath.join(folder.path, largest.name)
        speed, size, reason = await measure_reading(self._transport, path)
        return replace(
            storage, read_bytes_per_s=speed, measured_bytes=size or None, speed_reason=reason
        )

    async def _folder(self, folder: Folder) -> ModelFacts:
        config, model, problem = await self._config(folder)
        files = weight_files(folder)
        index = await self._index(folder)
        names = frozenset(f.name for f in folder.files)
        missing = tuple(n for n in index.files if n not in names) if index is not None else ()
        if index is not None:
            files = tuple(file for file in folder.files if file.name in index.files) or files
        weights = await self._weights(folder, files)
        return ModelFacts(
            path=folder.path,
            name=model_name(folder.path),
            has_config=CONFIG in folder.names,
            config_problem=problem,
            weight_files=tuple(file.name for file in files),
            weights_bytes=weights.total_bytes or None,
            missing_files=missing,
            damaged=(*weights.damaged, *await self._small_pointers(folder)),
            unread=weights.unread,
            has_index=index is not None,
            headers_read=bool(files) and files[0].name.endswith(".safetensors"),
            has_tokenizer=has_tokenizer(folder),
            has_chat_template=await self._has_template(folder),
            has_generation_config="generation_config.json" in folder.names,
            is_encoder=model is not None and model.architecture.is_encoder,
            custom_classes=_custom_classes(config),
            unsupported_format=_unsupported(model),
        )

    async def _config(self, folder: Folder) -> tuple[Mapping[str, object], ModelInfo | None, str]:
        if CONFIG not in folder.names:
            return {}, None, ""
        try:
            config = parse_config_text(await self._reader.text(folder, CONFIG))
        except PlanError as problem:
            return {}, None, problem.cause
        try:
            return config, read_config(config, name=model_name(folder.path)), ""
        except PlanError as problem:
            return config, None, problem.cause

    async def _index(self, folder: Folder) -> ShardIndex | None:
        for name in _INDEXES:
            if name in folder.names:
                try:
                    return parse_index(await self._reader.text(folder, name))
                except PlanError:
                    return None
        return None

    async def _weights(self, folder: Folder, files: tuple[ModelFile, ...]) -> _Weights:
        damaged: list[DamagedFile] = []
        unread: list[str] = []
        total = 0
        for file in files:
            if not file.name.endswith(".safetensors"):
                total += file.size_bytes
                continue
            try:
                header = await self._reader.drive(
                    safetensors_steps(file.name, file.size_bytes), folder, file
                )
            except PlanError as problem:
                damaged.append(_damage(file.name, problem))
            except HostError as problem:
                unread.append(_not_read(file.name, problem))
            else:
                total += header.tensor_bytes
        return _Weights(damaged=tuple(damaged), unread=tuple(unread), total_bytes=total)

    async def _small_pointers(self, folder: Folder) -> tuple[DamagedFile, ...]:
        """Return files too short to be what their name says, that are Git LFS pointers."""
        found = []
        for file in folder.files:
            telling = file.name.endswith((".bin", ".pt", ".model")) or file.name == "tokenizer.json"
            if telling and file.size_bytes <= _POINTER_BYTES:
                head = await self._reader.head(folder, file.name, len(LFS_POINTER))
                if head == LFS_POINTER:
                    found.append(DamagedFile(name=file.name, damage=Damage.POINTER, detail=""))
        return tuple(found)

    async def _has_template(self, folder: Folder) -> bool:
        if any(name in folder.names for name in _TEMPLATES):
            return True
        if "tokenizer_config.json" not in folder.names:
            return False
        try:
            text = await self._reader.text(folder, "tokenizer_config.json")
            return bool(parse_config_text(text).get("chat_template"))
        except PlanError:
            return False

    async def _gguf(self, folder: Folder, name: str) -> ModelFacts:
        sizes = {file.name: file for file in folder.files}
        names = split_names(name)
        parts: list[GgufPart] = []
        damaged: list[DamagedFile] = []
        unread: list[str] = []
        for part in names:
            if part not in sizes:
                continue
            try:
                header = await self._reader.drive(
                    gguf_steps(part, sizes[part].size_bytes), folder, sizes[part]
                )
            except PlanError as problem:
                damaged.append(_damage(part, problem))
            except HostError as problem:
                unread.append(_not_read(part, problem))
            else:
                parts.append(GgufPart(file=sizes[part], header=header))
        missing = tuple(part for part in names if part not in sizes)
        model, problem_text = None, ""
        if not missing and not damaged and not unread:
            try:
                model = model_from_gguf(parts, name=model_name(name))
            except PlanError as problem:
                problem_text = problem.cause
        first = parts[0].header.metadata if parts and parts[0].file.name == names[0] else None
        return ModelFacts(
            path=posixpath.join(folder.path, name),
            name=model_name(name),
            is_gguf=True,
            config_problem=problem_text,
            weight_files=tuple(part for part in names if part in sizes),
            weights_bytes=sum(sizes[part].size_bytes for part in names if part in sizes) or None,
            missing_files=missing,
            damaged=tuple(damaged),
            unread=tuple(unread),
            has_tokenizer=None if first is None else "tokenizer.ggml.model" in first,
            has_chat_template=None if first is None else "tokenizer.chat_template" in first,
            is_encoder=model is not None and model.architecture.is_encoder,
        )


def first_gguf(folder: Folder) -> str | None:
    """Return a folder's only GGUF model, by its first file; ``None`` where there are several."""
    models = gguf_models(folder)
    return posixpath.basename(models[0].path) if len(models) == 1 else None


def _not_read(name: str, problem: HostError) -> str:
    """Return why a file could not be read; a host that is gone is no finding.

    Raises:
        HostError: the problem itself, when it is the host's.
    """
    if problem.code in _LOST:
        raise problem
    return f"{name}: {problem.cause}"


def _damage(name: str, problem: PlanError) -> DamagedFile:
    reason = str(problem.params.get("reason", problem.cause))
    if "LFS pointer" in reason:
        return DamagedFile(name=name, damage=Damage.POINTER, detail="")
    cut_off = problem.params.get("field") == "size" or "cut off" in reason
    return DamagedFile(
        name=name, damage=Damage.CUT_OFF if cut_off else Damage.BROKEN, detail=reason
    )


def _custom_classes(config: Mapping[str, object]) -> tuple[str, ...]:
    auto = config.get("auto_map")
    if not isinstance(auto, Mapping):
        return ()
    return tuple(f"{key}: {value}" for key, value in auto.items())


def _unsupported(model: ModelInfo | None) -> str:
    if model is None or not model.quantization.unsupported:
        return ""
    return model.quantization.label or model.quantization.method

"""Find models on a host and read what they are, from their headers only.

Never more than headers is fetched: a ``config.json``, the beginning of each weight file. All
reads go over the host's own connection.
"""

import asyncio
import posixpath
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Protocol

from app.core.errors import AppError, ErrorCode, HostError, PlanError
from app.core.ids import HostId
from app.core.models.architecture import ModelFile, ModelFormat, ModelInfo
from app.core.models.config import missing_config, parse_config_text, read_config
from app.core.models.config_fields import broken
from app.core.models.folders import (
    CONFIG,
    Folder,
    ModelCandidate,
    candidates,
    gguf_models,
    has_tokenizer,
    model_name,
    weight_files,
)
from app.core.models.gguf import GgufPart, model_from_gguf, split_names
from app.core.models.gguf_header import GgufHeader
from app.core.models.gguf_header import header_steps as gguf_steps
from app.core.models.hub_cache import HubRevision
from app.core.models.lora import LoraAdapter
from app.core.models.preflight import ModelPreflight
from app.core.models.safetensors import (
    INDEX_NAME,
    ShardHeader,
    missing_shards,
    parse_index,
)
from app.core.models.safetensors import header_steps as safetensors_steps
from app.io.hub_cache import find_revisions
from app.io.model_files import Place, find_folders, look_at
from app.io.transport.base import Transport
from app.io.transport.local import LocalTransport
from app.services import model_suggestions
from app.services.activities import NOTICED_S, Activities
from app.services.model_adapters import read_adapter_at
from app.services.model_headers import HeaderReader
from app.services.model_preflight import PreflightLook, first_gguf

__all__ = ["HostsLike", "ModelCandidate", "ModelService", "look_at_model"]


class HostsLike(Protocol):
    """What this service needs of the hosts."""

    def transport(self, host_id: HostId) -> Transport:
        """Return the host's connection.

        Raises:
            HostError: NOT_CONNECTED.
        """


class ModelService:
    """Models on hosts, in local folders, or as pasted configs."""

    def __init__(self, hosts: HostsLike, activities: Activities | None = None) -> None:
        self._hosts = hosts
        self._activities = activities

    async def find(self, host_id: HostId, folder: str) -> tuple[ModelCandidate, ...]:
        """Return the models below a folder of the host; nothing of them is read.

        Raises:
            HostError: NOT_CONNECTED, NOT_FOUND, PERMISSION_DENIED, COMMAND_TIMEOUT.
        """
        async with self._said("models", folder), self._reach(host_id) as transport:
            return candidates(await find_folders(transport, folder))

    async def read(self, host_id: HostId, path: str) -> ModelInfo:
        """Read a model folder or GGUF file on the host, headers only.

        Raises:
            PlanError: MODEL_NOT_FOUND, MODEL_CONFIG_MISSING, MODEL_CONFIG_BROKEN, AMBIGUOUS.
            HostError: NOT_CONNECTED, PERMISSION_DENIED, COMMAND_TIMEOUT, CONNECTION_LOST.
        """
        async with self._said("model", path), self._reach(host_id) as transport:
            return await _Reader(transport).read(path)

    async def read_local(self, path: Path) -> ModelInfo:
        """Read a model on this machine, without a host.

        Raises:
            PlanError: as for `read`.
        """
        async with _this_computer() as transport:
            return await _Reader(transport).read(str(path))

    async def preflight(
        self, host_id: HostId, path: str, *, measure: bool = False
    ) -> ModelPreflight:
        """Look whether a model on the host is whole and ready to be loaded.

        Args:
            host_id: The host.
            path: The model's folder, its GGUF file or its entry in a Hugging Face cache.
            measure: Also read up to 256 MiB of its weights, to tell the load time.

        Raises:
            PlanError: MODEL_NOT_FOUND, MODEL_CONFIG_MISSING, AMBIGUOUS.
            HostError: NOT_CONNECTED, PERMISSION_DENIED, COMMAND_TIMEOUT, CONNECTION_LOST.
        """
        what = "measure" if measure else "model"
        async with self._said(what, path), self._reach(host_id) as transport:
            return await _Reader(transport).preflight(path, measure=measure)

    async def preflight_local(self, path: Path, *, measure: bool = False) -> ModelPreflight:
        """Look at a model on this machine, without a host.

        Raises:
            PlanError: as for `preflight`.
        """
        async with _this_computer() as transport:
            return await _Reader(transport).preflight(str(path), measure=measure)

    async def read_adapter(self, host_id: HostId, path: str, name: str = "") -> LoraAdapter:
        """Read a LoRA adapter on the host: its config or GGUF header.

        Raises:
            PlanError: MODEL_CONFIG_MISSING, MODEL_CONFIG_BROKEN.
            UserInputError: INVALID_INPUT for a name that cannot be served.
            HostError: NOT_CONNECTED, NOT_FOUND, PERMISSION_DENIED, COMMAND_TIMEOUT.
        """
        async with self._reach(host_id) as transport:
            return await read_adapter_at(transport, path, name)

    async def read_adapter_local(self, path: str, name: str = "") -> LoraAdapter:
        """Read a LoRA adapter on this machine.

        Raises:
            PlanError, UserInputError, HostError: as for `read_adapter`.
        """
        async with _this_computer() as transport:
            return await read_adapter_at(transport, path, name)

    async def revisions(self, host_id: HostId, folder: str) -> tuple[HubRevision, ...]:
        """Return what a Hugging Face cache (or one repository's folder in it) holds.

        Raises:
            HostError: NOT_CONNECTED, COMMAND_TIMEOUT, CONNECTION_LOST.
        """
        async with self._reach(host_id) as transport:
            return await find_revisions(transport, folder)

    def read_config_text(self, text: str, name: str) -> ModelInfo:
        """Read a pasted ``config.json``.

        Raises:
            PlanError: MODEL_CONFIG_BROKEN naming field and reason.
        """
        return read_config(parse_config_text(text), name=name)

    def _said(self, what: str, path: str) -> AbstractAsyncContextManager[object]:
        """Let it be seen and cancelled when it takes a while."""
        if self._activities is None:
            return nullcontext()
        name = posixpath.basename(path.rstrip("/")) or path
        return self._activities.run(what, name, after_s=NOTICED_S)

    @asynccontextmanager
    async def _reach(self, host_id: HostId) -> AsyncIterator[Transport]:
        """Give a host's connection; a host that is a record has its models on this computer.

        Raises:
            HostError: NOT_CONNECTED.
        """
        try:
            transport = self._hosts.transport(host_id)
        except HostError as error:
            if error.code is not ErrorCode.HOST_IS_RECORD:
                raise
            async with _this_computer() as own:
                yield own
        else:
            yield transport


async def look_at_model(transport: Transport, path: str) -> ModelPreflight:
    """Look over an open connection whether a model is whole; the disk is not measured.

    Raises:
        PlanError: as for `ModelService.preflight`.
        HostError: PERMISSION_DENIED, COMMAND_TIMEOUT, CONNECTION_LOST.
    """
    return await _Reader(transport).preflight(path, measure=False)


@asynccontextmanager
async def _this_computer() -> AsyncIterator[Transport]:
    transport = LocalTransport()
    try:
        yield transport
    finally:
        await transport.close()


class _Reader:
    """Reads one model over one connection."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._headers = HeaderReader(transport)

    async def preflight(self, path: str, *, measure: bool) -> ModelPreflight:
        place = await self._place(path)
        look = PreflightLook(self._transport, measure=measure)
        if place.is_file and place.path.lower().endswith(".gguf"):
            return await look.at(place.folder, posixpath.basename(place.path))
        if CONFIG in place.folder.names or weight_files(place.folder):
            return await look.at(place.folder, None)
        gguf = first_gguf(place.folder)
        if gguf is not None:
            return await look.at(place.folder, gguf)
        if "snapshots" in place.folder.folders:
            snapshot = await self._snapshot(place.folder)
            return await look.at((await look_at(self._transport, snapshot)).folder, None)
        below = await model_suggestions.models_below(self._transport, place.folder.path)
        raise below or missing_config(model_name(place.folder.path), place.folder.path)

    async def _place(self, path: str) -> Place:
        try:
            return await look_at(self._transport, path)
        except HostError as exc:
            if exc.code is not ErrorCode.NOT_FOUND:
                raise
            raise await model_suggestions.not_found(self._transport, path) from exc

    async def read(self, path: str) -> ModelInfo:
        place = await self._place(path)
        if place.is_file:
            return await self._read_file(place.path, place.folder)
        if CONFIG in place.folder.names:
            return await self._read_folder(place.folder)
        return await self._read_other(place.folder)

    async def _read_file(self, path: str, folder: Folder) -> ModelInfo:
        if path.lower().endswith(".gguf"):
            return await self._read_gguf(folder, posixpath.basename(path))
        if posixpath.basename(path) == CONFIG:
            return await self._read_folder(folder)
        raise missing_config(model_name(path), path)

    async def _read_other(self, folder: Folder) -> ModelInfo:
        """Read a folder without a config: its GGUF model, or a Hugging Face cache entry."""
        models = gguf_models(folder)
        if len(models) == 1:
            return await self._read_gguf(folder, posixpath.basename(models[0].path))
        if len(models) > 1:
            raise model_suggestions.ambiguous(folder.path, models)
        if "snapshots" in folder.folders:
            return await self._read_snapshot(folder)
        below = await model_suggestions.models_below(self._transport, folder.path)
        raise below or missing_config(model_name(folder.path), folder.path)

    async def _read_snapshot(self, folder: Folder) -> ModelInfo:
        return await self.read(await self._snapshot(folder))

    async def _snapshot(self, folder: Folder) -> str:
        """Return the revision that ``refs/main`` names, or the only one there is."""
        base = posixpath.join(folder.path, "snapshots")
        revisions = (await look_at(self._transport, base)).folder.folders
        chosen = revisions[0] if len(revisions) == 1 else await self._main_revision(folder)
        if chosen not in revisions:
            found = await find_revisions(self._transport, folder.path)
            if len(found) > 1:
                raise model_suggestions.several_revisions(folder.path, found)
            raise missing_config(model_name(folder.path), base)
        return posixpath.join(base, chosen)

    async def _main_revision(self, folder: Folder) -> str:
        try:
            data = await self._transport.read_file(
                posixpath.join(folder.path, "refs", "main"), length=200
            )
        except HostError as exc:
            if exc.code is ErrorCode.NOT_FOUND:
                return ""
            raise
        return data.decode("ascii", errors="replace").strip()

    async def _read_folder(self, folder: Folder) -> ModelInfo:
        config = parse_config_text(await self._headers.text(folder, CONFIG))
        weights = weight_files(folder)
        warnings = []
        weights_bytes: int | None = None
        model_format = ModelFormat.UNKNOWN
        if not weights:
            warnings.append("The folder holds no weights: sizes come from config.json.")
        elif weights[0].name.endswith(".safetensors"):
            model_format = ModelFormat.SAFETENSORS
            weights_bytes = await self._safetensors_bytes(folder, weights)
        else:
            weights_bytes = sum(file.size_bytes for file in weights)
            warnings.append("The weights are no safetensors: their size is that of the files.")
        tokenizer = has_tokenizer(folder)
        if not tokenizer:
            warnings.append("The folder holds no tokenizer.")
        return read_config(
            config,
            name=model_name(folder.path),
            path=folder.path,
            files=weights,
            weights_bytes=weights_bytes,
            model_format=model_format,
            has_tokenizer=tokenizer,
            has_chat_template=await self._has_chat_template(folder),
            warnings=warnings,
        )

    async def _safetensors_bytes(self, folder: Folder, weights: tuple[ModelFile, ...]) -> int:
        files = weights
        if INDEX_NAME in folder.names:
            index = parse_index(await self._headers.text(folder, INDEX_NAME))
            missing = missing_shards(index, folder.names)
            if missing is not None:
                raise missing
            files = tuple(file for file in folder.files if file.name in index.files)
        headers = await self._gather_safetensors(folder, files)
        return sum(header.tensor_bytes for header in headers)

    async def _gather_safetensors(
        self, folder: Folder, files: tuple[ModelFile, ...]
    ) -> list[ShardHeader]:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(
                        self._headers.drive(
                            safetensors_steps(file.name, file.size_bytes), folder, file
                        )
                    )
                    for file in files
                ]
        except* AppError as several:
            raise _first(several) from several
        return [task.result() for task in tasks]

    async def _read_gguf(self, folder: Folder, name: str) -> ModelInfo:
        sizes = {file.name: file for file in folder.files}
        names = split_names(name)
        for part in names:
            if part not in sizes:
                raise broken("file", f"is missing: {len(names)} parts are expected", file=part)
        parts = []
        for part in names:
            steps = gguf_steps(part, sizes[part].size_bytes)
            header: GgufHeader = await self._headers.drive(steps, folder, sizes[part])
            parts.append(GgufPart(file=sizes[part], header=header))
        return model_from_gguf(
            parts, name=model_name(name), path=posixpath.join(folder.path, names[0])
        )

    async def _has_chat_template(self, folder: Folder) -> bool:
        if "chat_template.jinja" in folder.names or "chat_template.json" in folder.names:
            return True
        if "tokenizer_config.json" not in folder.names:
            return False
        try:
            config: Mapping[str, object] = parse_config_text(
                await self._headers.text(folder, "tokenizer_config.json")
            )
        except PlanError:
            return False
        return bool(config.get("chat_template"))


def _first(group: BaseExceptionGroup[AppError]) -> AppError:
    """Return the first error of a group, however deep."""
    found = group.exceptions[0]
    return _first(found) if isinstance(found, BaseExceptionGroup) else found

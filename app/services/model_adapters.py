"""Read LoRA adapters on a host: their config or GGUF header, never their weights."""

import posixpath
import re
from typing import Final

from app.core.errors import ErrorCode, PlanError, UserInputError
from app.core.models.config import parse_config_text
from app.core.models.config_fields import broken
from app.core.models.folders import Folder
from app.core.models.gguf_header import header_steps
from app.core.models.lora import ADAPTER_CONFIG, ADAPTER_WEIGHTS, LoraAdapter, read_adapter
from app.io.model_files import look_at
from app.io.transport.base import Transport
from app.services.model_headers import HeaderReader

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


async def read_adapter_at(transport: Transport, path: str, name: str = "") -> LoraAdapter:
    """Return the adapter in a folder, or in a GGUF file.

    Raises:
        PlanError: MODEL_CONFIG_MISSING, MODEL_CONFIG_BROKEN.
        UserInputError: INVALID_INPUT for a name that cannot be served.
        HostError: NOT_FOUND, PERMISSION_DENIED, COMMAND_TIMEOUT, CONNECTION_LOST.
    """
    place = await look_at(transport, path)
    called = name or posixpath.basename(place.path.rstrip("/")).removesuffix(".gguf")
    if _NAME.fullmatch(called) is None:
        raise UserInputError(
            ErrorCode.INVALID_INPUT,
            {"field": "adapter"},
            cause=f"“{called}” cannot be the name of an adapter.",
            remedy="Use letters, digits, “.”, “_” and “-”, at most 64: NAME=FOLDER.",
        )
    if place.is_file and place.path.lower().endswith(".gguf"):
        return await _gguf(transport, place.folder, place.path, called)
    return await _folder(transport, place.folder, called)


async def _folder(transport: Transport, folder: Folder, name: str) -> LoraAdapter:
    if ADAPTER_CONFIG not in folder.names:
        raise PlanError(
            ErrorCode.MODEL_CONFIG_MISSING,
            {"model": name, "path": folder.path},
            cause=f"There is no {ADAPTER_CONFIG} in {folder.path}.",
            remedy="Name the folder of a LoRA adapter as peft saves it, or a GGUF adapter.",
        )
    text = await HeaderReader(transport).text(folder, ADAPTER_CONFIG)
    sizes = {file.name: file.size_bytes for file in folder.files}
    weights = next((sizes[n] for n in ADAPTER_WEIGHTS if n in sizes), None)
    if weights is None:
        raise broken("file", "is missing beside it: adapter_model.safetensors", file=ADAPTER_CONFIG)
    return read_adapter(
        parse_config_text(text), name=name, path=folder.path.rstrip("/"), size_bytes=weights
    )


async def _gguf(transport: Transport, folder: Folder, path: str, name: str) -> LoraAdapter:
    base = posixpath.basename(path)
    file = next(file for file in folder.files if file.name == base)
    header = await HeaderReader(transport).drive(header_steps(base, file.size_bytes), folder, file)
    metadata = header.metadata
    if metadata.get("general.type") != "adapter" or metadata.get("adapter.type") != "lora":
        raise broken("general.type", "does not say that this is a LoRA adapter", file=base)
    alpha = metadata.get("adapter.lora.alpha")
    usable = isinstance(alpha, int | float) and not isinstance(alpha, bool)
    return LoraAdapter(
        name=name,
        path=path,
        is_gguf=True,
        alpha=float(alpha) if usable and isinstance(alpha, int | float) else None,
        base_model=str(metadata.get("general.base_model.0.name") or ""),
        size_bytes=file.size_bytes,
    )

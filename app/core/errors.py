"""Errors as values: a stable code, what happened, what can be done now.

``cause`` and ``remedy`` are English, for the command line and the log; the window has its own
text per code. ``details`` is what a bug report needs, with secrets already removed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class ErrorCode(StrEnum):
    """Every way something can go wrong; stable, listed in CONTRIBUTING."""

    INVALID_INPUT = "invalid_input"
    NAME_TAKEN = "name_taken"
    NOT_FOUND = "not_found"
    AMBIGUOUS = "ambiguous"
    FILE_UNREADABLE = "file_unreadable"
    FILE_UNWRITABLE = "file_unwritable"
    NO_DISPLAY = "no_display"

    HOST_UNREACHABLE = "host_unreachable"
    HOST_NAME_UNKNOWN = "host_name_unknown"
    HOST_KEY_UNKNOWN = "host_key_unknown"
    HOST_KEY_CHANGED = "host_key_changed"
    HOST_KEY_REVOKED = "host_key_revoked"
    AUTH_FAILED = "auth_failed"
    PASSWORD_NEEDED = "password_needed"  # noqa: S105 - an error's name
    KEY_FILE_UNREADABLE = "key_file_unreadable"
    KEYRING_UNUSABLE = "keyring_unusable"
    CONNECTION_LOST = "connection_lost"
    NOT_CONNECTED = "not_connected"
    HOST_IS_RECORD = "host_is_record"
    CHANNEL_REFUSED = "channel_refused"
    COMMAND_TIMEOUT = "command_timeout"
    COMMAND_FAILED = "command_failed"
    TOOL_MISSING = "tool_missing"
    PERMISSION_DENIED = "permission_denied"

    DOCKER_NOT_FOUND = "docker_not_found"
    DOCKER_NOT_REACHABLE = "docker_not_reachable"
    DOCKER_PERMISSION = "docker_permission"
    DOCKER_REFUSED = "docker_refused"
    IMAGE_MISSING = "image_missing"
    PULL_FAILED = "pull_failed"
    GPU_RUNTIME_MISSING = "gpu_runtime_missing"
    PORT_IN_USE = "port_in_use"
    CONTAINER_NOT_FOUND = "container_not_found"
    CONTAINER_NAME_TAKEN = "container_name_taken"

    DOES_NOT_FIT = "does_not_fit"
    GPU_MEMORY_IN_USE = "gpu_memory_in_use"
    UNSUPPORTED_COMBINATION = "unsupported_combination"
    NO_PLAN = "no_plan"
    MODEL_NOT_FOUND = "model_not_found"
    MODEL_CONFIG_MISSING = "model_config_missing"
    MODEL_CONFIG_BROKEN = "model_config_broken"
    MODEL_NOT_WHOLE = "model_not_whole"
    MODEL_UNSUPPORTED = "model_unsupported"
    FLAG_UNKNOWN = "flag_unknown"

    ENGINE_EXITED = "engine_exited"
    ENGINE_NEVER_READY = "engine_never_ready"
    ENGINE_OUT_OF_MEMORY = "engine_out_of_memory"
    ENGINE_CRASH_LOOP = "engine_crash_loop"
    ENGINE_REFUSED_REQUEST = "engine_refused_request"
    VERIFY_FAILED = "verify_failed"

    STORE_BROKEN = "store_broken"
    STORE_FULL = "store_full"
    STORE_TOO_NEW = "store_too_new"
    MIGRATION_FAILED = "migration_failed"
    SETTINGS_BROKEN = "settings_broken"
    PROFILE_BROKEN = "profile_broken"
    FINGERPRINT_BROKEN = "fingerprint_broken"
    DATA_FILE_BROKEN = "data_file_broken"

    CANCELLED = "cancelled"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorInfo:
    """An error as a value that can travel in snapshots, events and JSON."""

    code: ErrorCode
    params: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    cause: str
    remedy: str
    details: str = ""


class AppError(Exception):
    """Base of all expected errors; see the families below."""

    def __init__(
        self,
        code: ErrorCode,
        params: Mapping[str, object] | None = None,
        *,
        cause: str,
        remedy: str,
        details: str = "",
    ) -> None:
        super().__init__(cause)
        self.code = code
        self.params: Mapping[str, str] = {k: str(v) for k, v in (params or {}).items()}
        self.cause = cause
        self.remedy = remedy
        self.details = details

    @property
    def info(self) -> ErrorInfo:
        """The error as a frozen value."""
        return ErrorInfo(
            code=self.code,
            params=self.params,
            cause=self.cause,
            remedy=self.remedy,
            details=self.details,
        )

    def __str__(self) -> str:
        """Cause and remedy, for the command line."""
        return f"{self.cause} {self.remedy}".strip()


class UserInputError(AppError):
    """Something the user gave cannot be used; ``params['field']`` says what."""


class HostError(AppError):
    """A host cannot be reached, entered or asked."""


class DockerError(AppError):
    """The container engine is not there or refuses."""


class PlanError(AppError):
    """What was asked for cannot work on this host with this model."""


class EngineError(AppError):
    """An engine exited, never got ready or answered wrongly."""


class StoreError(AppError):
    """What Pitwall keeps on this desktop cannot be read or written."""


class DataFileError(AppError):
    """A data file (engine, rule, profile, settings) is broken; ``params``: file, key path."""

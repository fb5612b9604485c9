"""Read typed fields out of a model's ``config.json``, naming the field when one is broken.

Nothing here guesses: a missing required field and a field of the wrong type end in
MODEL_CONFIG_BROKEN with ``field`` and ``reason``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.core.errors import ErrorCode, PlanError

MAX_INT: Final = 2**48
"""Larger counts cannot describe a model and would only overflow later arithmetic."""
_PER_LAYER: Final = frozenset({
    "head_dim", "intermediate_size", "moe_intermediate_size", "moe_topk", "num_attention_heads",
    "num_experts", "num_key_value_heads", "num_kv_heads", "num_query_heads", "num_shared_expert",
    "sliding_window",
})  # fmt: skip
"""Counts that some authors write once per layer; what a model has once is never a list."""


def broken(field: str, reason: str, *, file: str = "config.json") -> PlanError:
    """Return the error for a field that cannot be used; ``file`` as field means the whole file."""
    what = "it" if field == "file" else f"“{field}”"
    return PlanError(
        ErrorCode.MODEL_CONFIG_BROKEN,
        {"field": field, "reason": reason, "file": file},
        cause=f"{file} cannot be used: {what} {reason}.",
        remedy="Compare the file with the one the model's authors publish, or fetch it again.",
    )


def as_mapping(value: object, field: str, *, file: str = "config.json") -> Mapping[str, object]:
    """Return a JSON object as a mapping with text keys.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN when it is something else.
    """
    if not isinstance(value, Mapping):
        raise broken(field, "is not an object", file=file)
    return {str(key): item for key, item in value.items()}


@dataclass(frozen=True, slots=True)
class Fields:
    """One JSON object and where it stands in the file (``text_config.``)."""

    values: Mapping[str, object]
    prefix: str = ""
    file: str = "config.json"

    def has(self, *names: str) -> bool:
        """Tell whether one of the names carries a value other than null."""
        return any(self.values.get(name) is not None for name in names)

    def count(self, *names: str) -> int:
        """Return the first given of these positive whole numbers.

        Raises:
            PlanError: MODEL_CONFIG_BROKEN naming the field.
        """
        value = self.optional_count(*names)
        if value is None:
            raise broken(self.prefix + names[0], "is missing", file=self.file)
        return value

    def optional_count(self, *names: str, least: int = 1) -> int | None:
        """Return the first given whole number of at least ``least``; ``None`` when none is."""
        for name in names:
            value = self.values.get(name)
            if value is not None:
                return self._whole(name, self._alike(name, value), least)
        return None

    def _alike(self, name: str, value: object) -> object:
        """Return the one value of a list with an entry per layer, when all are the same."""
        if not isinstance(value, list | tuple) or not value:
            return value
        if name not in _PER_LAYER:
            raise broken(
                self.prefix + name, "is a list where one whole number is due", file=self.file
            )
        layers = self.values.get("num_hidden_layers")
        if isinstance(layers, int) and len(value) != layers:
            raise broken(
                self.prefix + name,
                f"has {len(value)} entries for {layers} layers (num_hidden_layers)",
                file=self.file,
            )
        if any(item != value[0] for item in value):
            raise broken(
                self.prefix + name,
                "differs from layer to layer, which is not known",
                file=self.file,
            )
        return value[0]

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return a yes/no value."""
        value = self.values.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise broken(self.prefix + name, "is neither true nor false", file=self.file)
        return value

    def text(self, name: str) -> str | None:
        """Return a text; ``None`` when it is not given."""
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            raise broken(self.prefix + name, "is not a text", file=self.file)
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; empty when it is not given."""
        value = self.values.get(name)
        if value is None:
            return ()
        if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
            raise broken(self.prefix + name, "is not a list of texts", file=self.file)
        return tuple(value)

    def counts(self, name: str) -> tuple[int, ...]:
        """Return a list of whole numbers of at least zero; empty when it is not given."""
        value = self.values.get(name)
        if value is None:
            return ()
        if not isinstance(value, list | tuple):
            raise broken(self.prefix + name, "is not a list of whole numbers", file=self.file)
        return tuple(self._whole(name, item, 0) for item in value)

    def section(self, *names: str) -> "Fields | None":
        """Return the first nested object given under these names."""
        for name in names:
            value = self.values.get(name)
            if value is not None:
                path = self.prefix + name
                return Fields(as_mapping(value, path, file=self.file), path + ".", self.file)
        return None

    def _whole(self, name: str, value: object, least: int) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise broken(self.prefix + name, "is not a whole number", file=self.file)
        if not least <= value <= MAX_INT:
            raise broken(
                self.prefix + name, f"is {value}, outside {least} to {MAX_INT}", file=self.file
            )
        return value

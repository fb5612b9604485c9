"""LoRA adapters of a plan: read on the host, one after the other, headers only."""

from collections.abc import Callable

from app.core.errors import ErrorCode, ErrorInfo
from app.core.models.lora import LoraAdapter
from app.ui.viewmodels.plan_store import PlanStore


class AdapterSearch:
    """Read adapters and keep them among the inputs."""

    def __init__(
        self, store: PlanStore, on_adapters: Callable[[tuple[LoraAdapter, ...]], None]
    ) -> None:
        self._store = store
        self._on_adapters = on_adapters

    def add(self, text: str) -> None:
        """Read ``[NAME=]FOLDER`` on the host and add what it is."""
        state = self._store.state
        name, path = adapter_words(text.strip())
        if state.host_id is None or not path or state.is_reading_adapter:
            return
        self._store.change(is_reading_adapter=True, adapter_error=None)
        self._store.run(
            self._store.app.models.read_adapter(state.host_id, path, name),
            on_result=self._on_read,
            on_error=lambda error: self._store.change(
                is_reading_adapter=False, adapter_error=error
            ),
            on_cancel=lambda: self._store.change(is_reading_adapter=False),
        )

    def remove(self, name: str) -> None:
        """Leave an adapter out again."""
        kept = tuple(one for one in self._store.state.inputs.adapters if one.name != name)
        self._on_adapters(kept)

    def forget_error(self) -> None:
        """Take the last error away: somebody types again."""
        if self._store.state.adapter_error is not None:
            self._store.change(adapter_error=None)

    def _on_read(self, adapter: LoraAdapter) -> None:
        known = self._store.state.inputs.adapters
        taken = any(one.name == adapter.name for one in known)
        error = _taken(adapter.name) if taken else None
        self._store.change(is_reading_adapter=False, adapter_error=error)
        if not taken:
            self._on_adapters((*known, adapter))


def adapter_words(text: str) -> tuple[str, str]:
    """Split ``NAME=FOLDER`` into name and path; a path may hold an equals sign itself.

    Example:
        >>> adapter_words("law=/models/law-lora"), adapter_words("/models/a=b")
        (('law', '/models/law-lora'), ('', '/models/a=b'))
    """
    name, equals, path = text.partition("=")
    if not equals or text.startswith(("/", "~")):
        return "", text
    return name.strip(), path.strip()


def _taken(name: str) -> ErrorInfo:
    return ErrorInfo(
        code=ErrorCode.NAME_TAKEN,
        params={"name": name},
        cause=f"There is an adapter called {name} already.",
        remedy="Give it another name: NAME=FOLDER.",
    )

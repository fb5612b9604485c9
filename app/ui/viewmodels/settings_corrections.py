"""What starts of this installation taught, to be looked at and reset."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.core.actuals.correction import Correction, Learned
from app.core.engines.names import engine_title
from app.core.units import format_size
from app.ui.bridge import CoreBridge
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.viewmodels.base import ViewModel

if TYPE_CHECKING:
    from app.bootstrap import Application

translate = QCoreApplication.translate

_QUANTITIES: Final[Mapping[str, str]] = {
    "weights_bytes_per_gpu": QT_TRANSLATE_NOOP("Settings", "weights"),
    "activation_bytes": QT_TRANSLATE_NOOP("Settings", "activations"),
    "cuda_graph_bytes": QT_TRANSLATE_NOOP("Settings", "CUDA graphs"),
    "non_torch_bytes": QT_TRANSLATE_NOOP("Settings", "other"),
    "kv_cache_bytes_per_gpu": QT_TRANSLATE_NOOP("Settings", "KV cache"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionRow:
    """What was learned of one engine series on one GPU for one family of models."""

    id: str
    title: str
    text: str
    """What is added, and from how many starts."""


class CorrectionsViewModel(ViewModel):
    """Read corrections and take them back."""

    known = Signal(object)
    """``tuple[CorrectionRow, ...]``"""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        self.rows: tuple[CorrectionRow, ...] = ()

    def look(self) -> None:
        """Read what was learned."""
        self.run(self._app.actuals.learned(), self._on_learned)

    def reset(self, key: str | None) -> None:
        """Forget one correction, or all."""
        self.run(self._app.actuals.forget(key), lambda _count: self.look())

    def _on_learned(self, learned: tuple[Learned, ...]) -> None:
        self.rows = tuple(map(present_learned, learned))
        self.known.emit(self.rows)


def present_learned(learned: Learned) -> CorrectionRow:
    """Return what was learned under one key in the language in force."""
    key = learned.key
    parts = [_part(correction) for correction in learned.corrections if correction.is_used]
    text = " · ".join(parts) or translate("Settings", "Needs another start before it is used")
    starts = translate("Settings", "starts: {count}").format(count=learned.starts)
    return CorrectionRow(
        id=key.id,
        title=f"{engine_title(key.engine, key.series)} · {key.gpu} · {key.family}",
        text=f"{text} · {starts}",
    )


def _part(correction: Correction) -> str:
    name = translate("Settings", _QUANTITIES[correction.quantity])
    sign = "+" if correction.delta_bytes >= 0 else "−"
    return f"{name} {sign}{format_size(abs(correction.delta_bytes))}"

"""A support bundle before it is saved: its files, what they hold, what was replaced."""

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.core.bundle.kinds import RedactionKind
from app.core.errors import ErrorInfo
from app.core.units import format_bytes
from app.ui.bridge import CoreBridge
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.viewmodels.base import ViewModel
from app.ui.viewmodels.said import said

if TYPE_CHECKING:
    from app.bootstrap import Application
    from app.core.bundle.content import Bundle, BundleFile  # its patterns take a while to compile

translate = QCoreApplication.translate

SHOWN_BYTES: Final = 512 * 1024
"""What the preview shows of one file; the saved one is whole."""

_KINDS: Final[Mapping[str, str]] = {
    RedactionKind.SECRET: QT_TRANSLATE_NOOP("Bundle", "secrets"),
    RedactionKind.HOST: QT_TRANSLATE_NOOP("Bundle", "host names"),
    RedactionKind.USER: QT_TRANSLATE_NOOP("Bundle", "user names"),
    RedactionKind.PATH: QT_TRANSLATE_NOOP("Bundle", "paths"),
    RedactionKind.IPV4: QT_TRANSLATE_NOOP("Bundle", "IPv4 addresses"),
    RedactionKind.IPV6: QT_TRANSLATE_NOOP("Bundle", "IPv6 addresses"),
    RedactionKind.MAC: QT_TRANSLATE_NOOP("Bundle", "MAC addresses"),
    RedactionKind.UUID: QT_TRANSLATE_NOOP("Bundle", "UUIDs"),
    RedactionKind.SERIAL: QT_TRANSLATE_NOOP("Bundle", "serial numbers"),
    RedactionKind.EMAIL: QT_TRANSLATE_NOOP("Bundle", "e-mail addresses"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleRow:
    """One file in the list."""

    path: str
    title: str
    size: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleView:
    """Everything that the dialog shows."""

    ref: str = ""
    is_working: bool = False
    redacted: bool = True
    rows: tuple[BundleRow, ...] = ()
    selected: str = ""
    content: str = ""
    replaced: str = ""
    missing: tuple[str, ...] = ()
    can_save: bool = False
    error: ErrorInfo | None = None


def present_bundle(bundle: "Bundle", ref: str, selected: str = "") -> BundleView:
    """Return a bundle for the dialog."""
    chosen = next((f for f in bundle.files if f.path == selected), bundle.files[0])
    return BundleView(
        ref=ref,
        redacted=bundle.redacted,
        rows=tuple(
            BundleRow(path=f.path, title=said(f.title), size=format_bytes(len(f.content)))
            for f in bundle.files
        ),
        selected=chosen.path,
        content=_content(chosen),
        replaced=_replaced(bundle),
        missing=tuple(f"{gap.path}: {said(gap.reason)}" for gap in bundle.missing),
        can_save=True,
    )


def _content(file: "BundleFile") -> str:
    text = file.content[:SHOWN_BYTES].decode("utf-8", "replace")
    if len(file.content) > SHOWN_BYTES:
        text += "\n" + translate("Bundle", "[… the preview ends here, the file goes on …]")
    return text


def _replaced(bundle: "Bundle") -> str:
    if not bundle.redacted:
        return translate("Bundle", "Nothing is replaced: names, addresses and secrets are in it.")
    if not bundle.replaced:
        return translate("Bundle", "Nothing had to be replaced.")
    words = (
        f"{translate('Bundle', _KINDS[kind])} {count:,}" for kind, count in bundle.replaced.items()
    )
    return translate("Bundle", "Replaced by stand-ins: {list}").format(list=" · ".join(words))


class BundleViewModel(ViewModel):
    """Make a bundle, look into it, save it."""

    changed = Signal(object)
    """The new `BundleView`."""
    saved = Signal(object)
    """The `Path` that was written."""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        self._bundle: Bundle | None = None
        self._making: Future[Any] | None = None
        self.view = BundleView()

    def make(self, ref: str, *, redact: bool = True) -> None:
        """Gather a deployment's bundle; nothing is written."""
        if self._making is not None:
            self._making.cancel()
        self._bundle = None
        self._show(BundleView(ref=ref, is_working=True, redacted=redact))
        self._making = self.run(
            self._app.bundles.make(ref, redact=redact),
            on_result=self._on_made,
            on_error=lambda error: self._show(BundleView(ref=ref, redacted=redact, error=error)),
        )

    def set_redacted(self, redacted: bool) -> None:
        """Make it anew with or without stand-ins."""
        if redacted != self.view.redacted:
            self.make(self.view.ref, redact=redacted)

    def select(self, path: str) -> None:
        """Show one file's content."""
        if self._bundle is not None and path != self.view.selected:
            self._show(present_bundle(self._bundle, self.view.ref, path))

    def save(self, path: Path) -> None:
        """Write it."""
        if self._bundle is not None:
            self.run(
                self._app.bundles.save(self._bundle, path),
                on_result=self.saved.emit,
                on_error=lambda error: self._show(replace(self.view, error=error)),
            )

    def reload(self) -> None:
        """Say everything again, in another language."""
        if self._bundle is not None:
            self._show(present_bundle(self._bundle, self.view.ref, self.view.selected))

    def _on_made(self, bundle: "Bundle") -> None:
        self._bundle = bundle
        self._show(present_bundle(bundle, self.view.ref, "findings.txt"))

    def _show(self, view: BundleView) -> None:
        self.view = view
        self.changed.emit(view)

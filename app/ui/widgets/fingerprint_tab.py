"""What every tab of the Fingerprint page beside the facts has: it follows the page's fingerprint.

The page makes its tabs in `FingerprintPage._add_tabs`, tells them what to show, sets their texts
again when the language changes and ends them. A tab never asks for the host itself.
"""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.core.hardware.fingerprint import Fingerprint
from app.ui.viewmodels.as_command import CommandLine


class FingerprintTab(QWidget):
    """A tab; subclasses fill themselves and override what concerns them."""

    notified = Signal(str)
    """A sentence for the window's activity line, such as "Copied"."""
    failed = Signal(object)
    """An `ErrorInfo` for the page's banner."""

    def title(self) -> str:
        """Return the word on the tab, in the language of now."""
        return ""

    def show_fingerprint(self, fingerprint: Fingerprint | None) -> None:
        """Show this fingerprint; ``None`` when there is none yet. Called again on every change."""

    def retranslate(self) -> None:
        """Set every text again."""

    def activated(self) -> None:
        """The tab came to the front."""

    def refresh(self) -> bool:
        """F5: do what this tab alone can do again; False lets the page ask the host."""
        return False

    def escape(self) -> bool:
        """Esc; True when something was cancelled."""
        return False

    def command_lines(self) -> tuple[CommandLine, ...]:
        """Return what this tab does, as commands of the command line."""
        return ()

    def dispose(self) -> None:
        """End what runs."""

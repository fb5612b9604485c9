"""Which deployments the Live page shows: one, or several side by side or one over the other."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QColor, QIcon, QPixmap
from PySide6.QtWidgets import QMenu, QPushButton

from app.ui.icons import IconSet
from app.ui.theme import Theme, letters
from app.ui.viewmodels.live import LiveViewModel
from app.ui.viewmodels.live_state import LiveState


class CompareButton(QPushButton):
    """Names what is shown and opens the choice."""

    def __init__(self, icons: IconSet, theme: Theme, view_model: LiveViewModel) -> None:
        super().__init__()
        self._theme = theme
        self._vm = view_model
        self._state = LiveState()
        self.setAutoDefault(True)
        icons.set_icon(self, "rocket")
        self.setMinimumWidth(letters(self.font(), 10))
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self.fill)
        self.setMenu(self._menu)

    def retranslate(self) -> None:
        """Set every text again."""
        self.setAccessibleName(self.tr("Deployments to look at"))
        self.show_state(self._state)

    def show_state(self, state: LiveState) -> None:
        """Name what is shown."""
        self._state = state
        self.setVisible(bool(state.deployments))
        text = state.deployment or self.tr("Deployment")
        if state.beside:
            text = self.tr("{name} and {count} more").format(name=text, count=len(state.beside))
        short = self.fontMetrics().elidedText(
            text, Qt.TextElideMode.ElideMiddle, letters(self.font(), 22)
        )
        if short != self.text():
            self.setText(short)
            self.setToolTip(", ".join((state.deployment or "", *state.beside)))

    def fill(self) -> None:
        """Offer every deployment of the host, and how several are shown."""
        state, menu = self._state, self._menu
        menu.clear()
        chosen = (state.deployment, *state.beside)
        for name in state.deployments:
            action = QAction(name, menu, checkable=True, checked=name in chosen)
            if name in state.colors:
                token = f"series.{state.colors[name] % 8 + 1}"
                action.setIcon(_swatch(self._theme.color(token)))
            action.triggered.connect(lambda on, name=name: self._on_name(name, on))
            menu.addAction(action)
        menu.addSeparator()
        for is_split, words in (
            (False, self.tr("One over the other")),
            (True, self.tr("Side by side")),
        ):
            action = QAction(words, menu, checkable=True, checked=state.is_split is is_split)
            action.setEnabled(len(state.deployments) > 1)
            action.triggered.connect(lambda _on, split=is_split: self._vm.set_split(split))
            menu.addAction(action)

    def _on_name(self, name: str, on: bool) -> None:
        chosen = [n for n in (self._state.deployment, *self._state.beside) if n and n != name]
        self._vm.choose_deployments([*chosen, name] if on or not chosen else chosen)


def _swatch(color: QColor) -> QIcon:
    picture = QPixmap(12, 12)
    picture.fill(color)
    return QIcon(picture)

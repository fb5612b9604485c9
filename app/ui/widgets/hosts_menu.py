"""Actions of a host: as icon buttons beside its state, and as a menu."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from app.ui.icons import IconSet
from app.ui.theme import space
from app.ui.widgets.buttons import icon_button, name_button


@dataclass(frozen=True, slots=True, kw_only=True)
class HostAct:
    """Something that can be done with a host."""

    icon: str
    words: str
    run: Callable[[], object]
    is_enabled: bool = True
    keys: str = ""
    token: str = ""
    """Colour of the icon where it warns."""


class ActRow(QWidget):
    """A row of icon buttons that follows what can be done."""

    def __init__(self, icons: IconSet) -> None:
        super().__init__()
        self._icons = icons
        self._acts: tuple[HostAct, ...] = ()
        self._buttons: list[QToolButton] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(space(1))
        self._row.addStretch(1)

    def set_acts(self, acts: Sequence[HostAct]) -> None:
        """Show these actions; buttons stay, with their focus, while they mean the same."""
        before, self._acts = self._acts, tuple(acts)
        if [act.words for act in before] != [act.words for act in acts]:
            self._make_buttons()
        for act, button in zip(acts, self._buttons, strict=True):
            button.setEnabled(act.is_enabled)

    def _make_buttons(self) -> None:
        for old in self._buttons:
            self._row.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._buttons = []
        for number, act in enumerate(self._acts):
            button = icon_button(self._icons, act.icon, on_click=self._runner(number))
            name_button(button, act.words, act.keys)
            self._row.insertWidget(number, button)
            self._buttons.append(button)

    def _runner(self, number: int) -> Callable[[], None]:
        # What an action does may change while its name stays.
        return lambda: (self._acts[number].run(), None)[1]


def fill_menu(menu: QMenu, icons: IconSet, acts: Sequence[HostAct | None]) -> None:
    """Add actions to a menu; ``None`` is a line between them."""
    for act in acts:
        if act is None:
            menu.addSeparator()
            continue
        icon = icons.icon(act.icon, act.token) if act.token else icons.icon(act.icon)
        action = menu.addAction(icon, act.words, act.run)
        action.setEnabled(act.is_enabled)


def host_menu(parent: QWidget) -> QMenu:
    """Return an empty menu that goes when it closes."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return menu

"""The palette (Ctrl+K): type a few letters, press Enter."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QLineEdit,
    QListView,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.ui.icons import IconSet
from app.ui.models.commands import Command, CommandFilter, CommandModel
from app.ui.models.roles import KEYS_ROLE
from app.ui.theme import letters, space
from app.ui.widgets.table import RowDelegate
from app.ui.widgets.text import label

_MOVES = {Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp}


class KeysDelegate(RowDelegate):
    """Rows with the keys that do the same at their end."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw the row, then its keys in the quiet colour."""
        super().paint(painter, option, index)
        keys = str(index.data(KEYS_ROLE) or "")
        if keys:
            painter.save()
            painter.setPen(option.palette.color(QPalette.ColorRole.PlaceholderText))
            room = option.rect.adjusted(0, 0, -space(3), 0)
            painter.drawText(
                room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, keys
            )
            painter.restore()


class Palette(QDialog):
    """Find pages, hosts, deployments, actions, settings and help."""

    def __init__(self, commands: Sequence[Command], icons: IconSet, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(True)
        self.setWindowTitle(self.tr("Find"))
        self._model = CommandModel(commands, icons, self)
        self._filter = CommandFilter(self)
        self._filter.setSourceModel(self._model)
        self.input = QLineEdit()
        self.input.setPlaceholderText(self.tr("Find a page, a host, an action, a setting or help"))
        self.input.setAccessibleName(self.tr("Find"))
        self.input.installEventFilter(self)
        self.list = QListView()
        self.list.setAccessibleName(self.tr("Results"))
        self.list.setModel(self._filter)
        self.list.setUniformItemSizes(True)
        self.list.setIconSize(QSize(16, 16))
        self.list.setItemDelegate(KeysDelegate(self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.nothing = label("muted", wrap=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        # A dialog without the window system's frame needs an edge of its own.
        edge = QFrame()
        edge.setProperty("role", "edge")
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(edge)
        layout = QVBoxLayout(edge)
        layout.setContentsMargins(space(3), space(3), space(3), space(3))
        layout.setSpacing(space(2))
        layout.addWidget(self.input)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.nothing, 1)
        self.resize(letters(self.font(), 76), self.fontMetrics().height() * 24)
        self.input.textChanged.connect(self._on_text)
        self.input.returnPressed.connect(self._run_current)
        self.list.activated.connect(self._run)
        self.list.clicked.connect(self._run)
        self._select_first()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrows move in the list while one types."""
        if (
            watched is self.input
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() in _MOVES
        ):
            self.list.keyPressEvent(event)
            return True
        return super().eventFilter(watched, event)

    def _on_text(self, text: str) -> None:
        self._filter.set_text(text)
        self._select_first()

    def _select_first(self) -> None:
        self.list.setCurrentIndex(self._filter.index(0, 0))
        found = self._filter.rowCount() > 0
        self.list.setVisible(found)
        self.nothing.setVisible(not found)
        text = self.tr("Nothing is called “{text}”").format(text=self.input.text().strip())
        self.nothing.setText(text)

    def _run_current(self) -> None:
        self._run(self.list.currentIndex())

    def _run(self, index: QModelIndex) -> None:
        if not index.isValid():
            return
        command = self._model.command(self._filter.mapToSource(index).row())
        self.accept()
        command.run()

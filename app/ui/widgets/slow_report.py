"""Where the time of a deployment's requests goes, for the inspector."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.ui.icons import IconSet
from app.ui.theme import Theme, space
from app.ui.viewmodels.slow import PartView, SlowView
from app.ui.widgets.bars import MemoryBar
from app.ui.widgets.buttons import push_button
from app.ui.widgets.slow_alerts import fill_finding
from app.ui.widgets.state import ErrorBanner, StateLabel
from app.ui.widgets.text import label


class SlowReportView(QWidget):
    """Shares as bars, the other figures, findings with their remedies."""

    again_wanted = Signal()

    def __init__(self, theme: Theme, icons: IconSet) -> None:
        super().__init__()
        self._theme = theme
        self._icons = icons
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, space(2), 0)
        self._layout.setSpacing(space(2))
        self._inside: QWidget | None = None

    def show_view(self, view: SlowView) -> None:
        """Show a look, or that it still goes on."""
        if self._inside is not None:
            self._inside.deleteLater()
        self._inside = QWidget()
        self._layout.addWidget(self._inside, 1)
        layout = QVBoxLayout(self._inside)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(space(2))
        if view.is_looking:
            self._fill_looking(layout)
        elif view.error is not None:
            banner = ErrorBanner(self._icons)
            banner.show_error(view.error)
            layout.addWidget(banner)
        else:
            self._fill(layout, view)
        layout.addStretch(1)

    def _fill_looking(self, layout: QVBoxLayout) -> None:
        text = self.tr(
            "Looking for ten seconds at the engine's figures, its GPUs and the host, then asking "
            "one short question …"
        )
        layout.addWidget(label("muted", text, wrap=True))
        busy = QProgressBar()
        busy.setRange(0, 0)
        busy.setTextVisible(False)
        layout.addWidget(busy)

    def _fill(self, layout: QVBoxLayout, view: SlowView) -> None:
        layout.addLayout(self._head(view))
        if view.note:
            layout.addWidget(label("muted", view.note, wrap=True))
        if view.parts:
            layout.addWidget(self._shares(view))
        if view.figures:
            layout.addWidget(label("muted", view.figures, wrap=True))
        for card in view.cards:
            holder = QFrame()
            holder.setProperty("role", "card")
            inside = QVBoxLayout(holder)
            inside.setContentsMargins(space(3), space(2), space(3), space(3))
            inside.setSpacing(space(1))
            title = label("section", card.title, wrap=True)
            title.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            inside.addWidget(title)
            inside.addWidget(label("caption", f"{card.confidence} · {card.cause}"))
            fill_finding(inside, self._theme, card)
            layout.addWidget(holder)
        layout.addLayout(self._buttons(view))

    def _head(self, view: SlowView) -> QHBoxLayout:
        head = QHBoxLayout()
        head.setSpacing(space(2))
        state = StateLabel(self._icons)
        if view.headline is not None:
            state.set_state(view.headline.icon, view.headline.word, view.headline.status)
        head.addWidget(state)
        if view.simulated:
            head.addWidget(label("badge", self.tr("Simulated")), 0, Qt.AlignmentFlag.AlignVCenter)
        head.addStretch(1)
        return head

    def _shares(self, view: SlowView) -> QFrame:
        card = QFrame()
        card.setProperty("role", "card")
        grid = QGridLayout(card)
        grid.setContentsMargins(space(3), space(2), space(3), space(2))
        grid.setHorizontalSpacing(space(3))
        grid.setColumnStretch(1, 1)
        for row, part in enumerate(view.parts):
            grid.addWidget(label("muted", part.name), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(self._share(part), row, 1)
        if view.means:
            means = label("body", view.means, wrap=True)
            means.setFont(self._theme.font("figure"))
            grid.addWidget(means, len(view.parts), 0, 1, 2)
        return card

    def _share(self, part: PartView) -> QWidget:
        if part.bar.fraction is None:
            return label("muted", part.bar.text or part.note, wrap=True)
        bar = MemoryBar(self._theme)
        bar.set_bar(part.bar)
        bar.setAccessibleName(f"{part.name}: {part.bar.text}")
        return bar

    def _buttons(self, view: SlowView) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(space(2))
        again = push_button(self._icons, icon="refresh", on_click=self.again_wanted.emit)
        again.setText(self.tr("Look again"))
        copy = push_button(
            self._icons,
            icon="copy",
            kind="quiet",
            on_click=lambda: QGuiApplication.clipboard().setText(view.text),
        )
        copy.setText(self.tr("Copy as text"))
        row.addWidget(again)
        row.addWidget(copy)
        row.addStretch(1)
        return row

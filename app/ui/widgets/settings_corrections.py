"""The corrections of memory estimates as a card of the settings: what, from what, and reset."""

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.ui.icons import IconSet
from app.ui.theme import space
from app.ui.viewmodels.settings_corrections import CorrectionRow, CorrectionsViewModel
from app.ui.widgets.buttons import push_button
from app.ui.widgets.settings_cards import Card
from app.ui.widgets.text import ElidedLabel, label


class CorrectionsCard(Card):
    """What starts taught; each entry, or all, can be forgotten."""

    def __init__(self, icons: IconSet, view_model: CorrectionsViewModel) -> None:
        super().__init__()
        self._icons = icons
        self.view_model = view_model
        self._rows: tuple[CorrectionRow, ...] = ()
        self._none = label("muted", wrap=True)
        self._list = QVBoxLayout()
        self._list.setSpacing(space(2))
        self.forget_all = push_button(icons, icon="trash", on_click=lambda: view_model.reset(None))
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.forget_all)
        self.column.addWidget(self._none)
        self.column.addLayout(self._list)
        self.column.addLayout(row)
        view_model.known.connect(self._show)
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text again."""
        self.set_words(
            self.tr("Corrections of memory estimates"),
            self.tr(
                "Each start that became ready is set beside its prediction. Two of a kind correct "
                "the next estimate; it says so."
            ),
        )
        self._none.setText(self.tr("Nothing was learned yet."))
        self.forget_all.setText(self.tr("Forget all"))
        self._show(self._rows)

    def _show(self, rows: tuple[CorrectionRow, ...]) -> None:
        self._rows = rows
        while self._list.count():
            item = self._list.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.deleteLater()
        self._none.setVisible(not rows)
        self.forget_all.setVisible(bool(rows))
        for row in rows:
            self._list.addWidget(self._line(row))

    def _line(self, row: CorrectionRow) -> QWidget:
        forget = push_button(
            self._icons, icon="trash", kind="quiet", on_click=lambda: self.view_model.reset(row.id)
        )
        forget.setText(self.tr("Forget"))
        forget.setAccessibleName(f"{forget.text()}: {row.title}")
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(ElidedLabel(row.title))
        words.addWidget(label("muted", row.text, wrap=True))
        line = QWidget()
        layout = QHBoxLayout(line)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(words, 1)
        layout.addWidget(forget)
        return line

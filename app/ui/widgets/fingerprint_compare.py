"""The tab “Compare”: why the same model behaves differently on another machine."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QTextOption
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QStackedWidget,
    QTextBrowser,
    QVBoxLayout,
)

from app.core.hardware.fingerprint import Fingerprint
from app.ui.icons import IconSet
from app.ui.theme import Theme, letters, space
from app.ui.viewmodels.as_command import CommandLine, diff_command
from app.ui.viewmodels.fingerprint_compare import (
    Choice,
    CompareState,
    CompareViewModel,
)
from app.ui.viewmodels.fingerprint_compare_texts import present_comparison
from app.ui.widgets.buttons import push_button
from app.ui.widgets.empty import EmptyState
from app.ui.widgets.fingerprint_compare_text import comparison_html
from app.ui.widgets.fingerprint_tab import FingerprintTab
from app.ui.widgets.icon_label import IconLabel
from app.ui.widgets.text import label

_EMPTY, _BUSY, _RESULT = range(3)
_ENGLISH, _CHINESE, _BOTH = "en", "zh_CN", "both"
_LANGUAGES: Final = (_ENGLISH, _CHINESE, _BOTH)


class FingerprintCompare(FingerprintTab):
    """Choose the other side; differences grouped by what they do."""

    def __init__(self, view_model: CompareViewModel, theme: Theme, icons: IconSet) -> None:
        super().__init__()
        self.view_model = view_model
        self._theme = theme
        self._icons = icons
        self._shown: tuple[object, ...] = ()
        self._is_built = False
        view_model.failed.connect(self.failed)
        view_model.saved.connect(self._on_saved)

    # What the page asks of a tab

    def title(self) -> str:
        """Return the word on the tab."""
        return self.tr("Compare")

    def show_fingerprint(self, fingerprint: Fingerprint | None) -> None:
        """Compare from this fingerprint on."""
        self.view_model.show(fingerprint)

    def activated(self) -> None:
        """List again what can be chosen; the first time, build what shows it."""
        if self._is_built:
            self.view_model.relist()
        else:
            self._build()

    def refresh(self) -> bool:
        """Compare again."""
        return self.view_model.again()

    def escape(self) -> bool:
        """Give up the comparison that runs."""
        return self.view_model.cancel()

    def command_lines(self) -> tuple[CommandLine, ...]:
        """Return what compares the same two sides."""
        sides = self.view_model.sides()
        only = self.view_model.state.only_behaviour
        return (diff_command(sides, only_behaviour=only),) if sides else ()

    def dispose(self) -> None:
        """End what runs."""
        self.view_model.dispose()

    def retranslate(self) -> None:
        """Set every text again."""
        if not self._is_built:
            return
        self._with.setText(self.tr("compared with"))
        self.what.setAccessibleName(self.tr("What is compared"))
        self.other.setAccessibleName(self.tr("What it is compared with"))
        self.other.setPlaceholderText(self.tr("Choose host, date or deployment"))
        self.open.setText(self.tr("From a file"))
        self.only.setText(self.tr("Only what changes behaviour"))
        self.copy.setText(self.tr("Copy text"))
        for language, action in zip(_LANGUAGES, self._copies, strict=True):
            action.setText(self._language_word(language))
        self.save.setText(self.tr("Save text"))
        self.record.setText(self.tr("Save deployment"))
        self.record.setToolTip(
            self.tr("Saves what this deployment is, to compare it where the host is out of reach.")
        )
        self.cancel.setText(self.tr("Cancel"))
        self.text.setAccessibleName(self.tr("Differences"))
        self._busy.set_texts(
            self.tr("Comparing"),
            self.tr("Files of a model are hashed on their host, which can take a minute."),
        )
        self._shown = ()
        self.view_model.relist()
        self._show(self.view_model.state)

    # Building

    def _build(self) -> None:
        """Make the controls when they are first looked at: the page opens the sooner."""
        self._is_built = True
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, space(3), 0, 0)
        layout.setSpacing(space(3))
        layout.addLayout(self._build_choices())
        layout.addLayout(self._build_answer())
        layout.addWidget(self._build_stack(), 1)
        self.view_model.changed.connect(self._on_changed)
        self._theme.changed.connect(self._restyle)
        self.retranslate()

    def _build_choices(self) -> QHBoxLayout:
        self.what, self.other = QComboBox(), QComboBox()
        for box in (self.what, self.other):
            box.setMinimumWidth(letters(self.font(), 26))
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
        self.what.activated.connect(self._on_what)
        self.other.activated.connect(self._on_other)
        self._with = label("muted")
        self.open = push_button(self._icons, icon="folder-open", on_click=self._on_open)
        row = QHBoxLayout()
        row.setSpacing(space(2))
        row.addWidget(self.what, 1)
        row.addWidget(self._with)
        row.addWidget(self.other, 1)
        row.addWidget(self.open)
        return row

    def _build_answer(self) -> QHBoxLayout:
        self._verdict = IconLabel(self._icons, size=20)
        self._headline = label("section", wrap=True)
        self.only = QCheckBox()
        self.only.setProperty("kept", "compare-only")
        self.only.toggled.connect(self.view_model.set_only_behaviour)
        self.copy = push_button(self._icons, icon="copy")
        menu = QMenu(self.copy)
        self._copies = [menu.addAction("") for _ in _LANGUAGES]
        menu.triggered.connect(self._on_copy)
        self.copy.setMenu(menu)
        self.save = push_button(self._icons, icon="device-floppy", on_click=self._on_save)
        self.record = push_button(self._icons, icon="file-export", on_click=self._on_record)
        row = QHBoxLayout()
        row.setSpacing(space(2))
        row.addWidget(self._verdict)
        row.addWidget(self._headline, 1)
        for part in (self.only, self.copy, self.save, self.record):
            row.addWidget(part)
        return row

    def _build_stack(self) -> QStackedWidget:
        self._empty = EmptyState(self._icons, "arrows-diff")
        self._busy = EmptyState(self._icons, "loader-2")
        self.cancel = push_button(self._icons, icon="x", on_click=self.view_model.cancel)
        self._busy.add_button(self.cancel)
        self.text = QTextBrowser()
        self.text.setOpenLinks(False)
        self.text.setTabChangesFocus(True)
        # The tables are as wide as the page; words without a gap break rather than widen it.
        self.text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.text.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._stack = QStackedWidget()
        for part in (self._empty, self._busy, self.text):
            self._stack.addWidget(part)
        return self._stack

    # Showing

    def _on_changed(self, state: CompareState) -> None:
        self._show(state)

    def _show(self, state: CompareState) -> None:
        _fill(self.what, state.whats, state.what)
        _fill(self.other, state.others, state.other)
        has_any = state.comparison is not None and not state.is_busy
        for part in (self._verdict, self._headline, self.only, self.copy, self.save):
            part.setVisible(has_any)
        self.record.setVisible(has_any and self.view_model.can_save_record)
        self.other.setEnabled(bool(state.others))
        self.open.setEnabled(state.what is not None)
        if state.is_busy:
            self._stack.setCurrentIndex(_BUSY)
        elif state.comparison is None:
            self._show_empty(state)
            self._stack.setCurrentIndex(_EMPTY)
        else:
            self._show_comparison(state)
            self._stack.setCurrentIndex(_RESULT)

    def _show_comparison(self, state: CompareState) -> None:
        shown = (state.comparison, state.only_behaviour)
        if state.comparison is None or shown == self._shown:
            return
        self._shown = shown
        view = present_comparison(state.comparison, only_behaviour=state.only_behaviour)
        self._verdict.set(view.icon, f"status.{view.status}")
        self._headline.setText(view.headline)
        self.text.setHtml(comparison_html(view, self._theme))

    def _show_empty(self, state: CompareState) -> None:
        if state.what is None:
            self._empty.set_texts(
                self.tr("Nothing to compare yet"),
                self.tr("Take a fingerprint of this host, or open one from a file, first."),
            )
            return
        self._empty.set_texts(
            self.tr("Same model, other behaviour?"),
            self.tr(
                "Choose another host, an earlier date, a deployment or a file. Each difference is "
                "explained: what changes behaviour, what changes speed, what does not matter."
            ),
        )

    def _restyle(self) -> None:
        self._shown = ()
        self._show(self.view_model.state)

    def _language_word(self, language: str) -> str:
        words = {
            _ENGLISH: self.tr("In English"),
            _CHINESE: self.tr("In Chinese"),
            _BOTH: self.tr("In both languages"),
        }
        return words[language]

    # Doing

    def _on_what(self, row: int) -> None:
        self.view_model.choose_what(self.view_model.state.whats[row])

    def _on_other(self, row: int) -> None:
        self.view_model.choose_other(self.view_model.state.others[row])

    def _on_copy(self, action: QAction) -> None:
        language = _LANGUAGES[self._copies.index(action)]
        QGuiApplication.clipboard().setText(self.view_model.text(language))
        self.notified.emit(self.tr("Copied"))

    def _on_open(self) -> None:
        dialog = QFileDialog(self, self.tr("Open fingerprint or deployment"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: self.view_model.open_file(Path(name)))
        dialog.open()

    def _on_save(self) -> None:
        self._ask_where(self.tr("Save text"), "comparison.txt", self.view_model.save)

    def _on_record(self) -> None:
        title = self.tr("Save deployment")
        self._ask_where(title, "deployment.json", self.view_model.save_record)

    def _ask_where(self, title: str, name: str, save: Callable[[Path], None]) -> None:
        dialog = QFileDialog(self, title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(name.rpartition(".")[2])
        dialog.selectFile(name)
        dialog.fileSelected.connect(lambda file: save(Path(file)))
        dialog.open()

    def _on_saved(self, path: Path) -> None:
        self.notified.emit(self.tr("Saved as {file}").format(file=path))


def _fill(box: QComboBox, choices: tuple[Choice, ...], chosen: Choice | None) -> None:
    """Show choices without telling anybody that one was chosen."""
    labels = [choice.label for choice in choices]
    if [box.itemText(row) for row in range(box.count())] != labels:
        box.clear()
        box.addItems(labels)
    row = choices.index(chosen) if chosen in choices else -1
    if box.currentIndex() != row:
        box.setCurrentIndex(row)

"""The tab “Smoke run”: CUDA asked inside the engine's image, figures beside their claims."""

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout

from app.core.engines.names import engine_title
from app.core.errors import ErrorInfo
from app.core.hardware.fingerprint import Fingerprint
from app.core.smoke.report import SmokeReport
from app.services.smoke import SmokePlan, SmokeWish
from app.ui.icons import IconSet
from app.ui.models.fingerprint_smoke import NOTE_COLUMN, SmokeModel
from app.ui.theme import Theme, letters, space
from app.ui.viewmodels.as_command import CommandLine, command, parsed
from app.ui.viewmodels.fingerprint_smoke import (
    ENGINES,
    SmokeViewModel,
    present_smoke,
    smoke_command,
)
from app.ui.widgets.buttons import push_button
from app.ui.widgets.fingerprint_tab import FingerprintTab
from app.ui.widgets.form import Field
from app.ui.widgets.state import StateLabel
from app.ui.widgets.table import DataTable
from app.ui.widgets.text import MonoBlock, label

_TYPING_MS = 300
"""A plan is made when typing has paused."""


class FingerprintSmoke(FingerprintTab):
    """What is run stands on top, exactly; what it found below. Built when first looked at."""

    def __init__(self, view_model: SmokeViewModel, theme: Theme, icons: IconSet) -> None:
        super().__init__()
        self.view_model = view_model
        self._theme = theme
        self._icons = icons
        self._is_built = False
        self._report: SmokeReport | None = None
        self._plan: SmokePlan | None = None
        view_model.planned.connect(self._on_planned)
        view_model.reported.connect(self._on_report)
        view_model.refused.connect(self._on_refused)

    def title(self) -> str:
        """Return the word on the tab."""
        return self.tr("Smoke run")

    def show_fingerprint(self, fingerprint: Fingerprint | None) -> None:
        """Plan for this host, once somebody looks."""
        self.view_model.show(fingerprint)
        if self._is_built:
            self._ask()

    def activated(self) -> None:
        """Build what is shown, at the first time, and plan."""
        if not self._is_built:
            self._build()
            self._is_built = True
            self.retranslate()
        self._ask()

    def escape(self) -> bool:
        """Cancel a run."""
        return self.view_model.stop()

    def dispose(self) -> None:
        """End what runs."""
        self.view_model.dispose()

    def retranslate(self) -> None:
        """Set every text again."""
        if not self._is_built:
            return
        self._about.setText(
            self.tr(
                "nvidia-smi can look well while CUDA fails. A smoke run starts one container of an "
                "image that the host has, without network and with nothing written, measures for "
                "up to three minutes and removes it."
            )
        )
        self._engine_field.set_words(self.tr("Engine"))
        self._image_field.set_words(self.tr("Image"), self.tr("Empty: the one Pitwall deploys"))
        self._folder_field.set_words(
            self.tr("Model folder"), self.tr("Its largest file is read; may be empty")
        )
        self.run.setText(self.tr("Run"))
        self.cancel.setText(self.tr("Cancel"))
        self.copy.setText(self.tr("Copy as command"))
        self.command.setAccessibleName(self.tr("What is run"))
        self.table.setAccessibleName(self.tr("Smoke run"))
        self.model.retranslate()
        self._show()

    # Inside

    def _build(self) -> None:
        icons = self._icons
        self._about = label("muted", wrap=True)
        self.engine = QComboBox()
        for engine in ENGINES:
            self.engine.addItem(engine_title(engine), engine)
        self.image, self.folder = QLineEdit(), QLineEdit()
        self._engine_field = Field(self.engine)
        self._image_field, self._folder_field = Field(self.image), Field(self.folder)
        fields = QHBoxLayout()
        fields.setSpacing(space(3))
        fields.addWidget(self._engine_field)
        fields.addWidget(self._image_field, 2)
        fields.addWidget(self._folder_field, 2)
        self.command = MonoBlock(self._theme)
        self.command.setFixedHeight(self.command.fontMetrics().lineSpacing() * 6)
        self.run = push_button(icons, icon="player-play", kind="primary", on_click=self._start)
        self.cancel = push_button(icons, icon="x", on_click=self.view_model.stop)
        self.copy = push_button(icons, icon="copy", on_click=self._copy)
        self.verdict = StateLabel(icons)
        buttons = QHBoxLayout()
        buttons.setSpacing(space(2))
        for button in (self.run, self.cancel, self.copy):
            buttons.addWidget(button)
        buttons.addWidget(self.verdict, 1)
        self._detail = label("muted", wrap=True)
        self.model = SmokeModel(icons, self._theme, self)
        self.table = DataTable()
        self.table.setModel(self.model)
        self.table.setSortingEnabled(False)
        self.table.set_widths((24, 6, 9, 12, 8, 14, 20), NOTE_COLUMN)
        self._errors = label("error", wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, space(3), 0, 0)
        layout.setSpacing(space(2))
        layout.addWidget(self._about)
        layout.addLayout(fields)
        layout.addWidget(self.command)
        layout.addLayout(buttons)
        layout.addWidget(self._detail)
        layout.addWidget(self._errors)
        layout.addWidget(self.table, 1)
        self._pause = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._pause.timeout.connect(self._ask)
        self.image.textEdited.connect(lambda: self._pause.start())  # noqa: PLW0108 - drops the text
        self.folder.textEdited.connect(lambda: self._pause.start())  # noqa: PLW0108 - drops the text
        self.engine.currentIndexChanged.connect(self._ask)
        self.image.setMinimumWidth(letters(self.font(), 24))

    def command_lines(self) -> tuple[CommandLine, ...]:
        """Return what shows the same run, and what starts it."""
        if not self.view_model.host_name:
            return ()
        run = parsed(smoke_command(self.view_model.host_name, self._wish()))
        return (command(*run.argv, "--dry-run"), run)

    def _wish(self) -> SmokeWish:
        return SmokeWish(
            engine=str(self.engine.currentData()),
            image=self.image.text().strip(),
            folder=self.folder.text().strip(),
        )

    def _ask(self) -> None:
        if not self.view_model.is_running:
            self.view_model.plan(self._wish())

    def _start(self) -> None:
        self._report = None
        self.view_model.start()
        self._show()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(
            smoke_command(self.view_model.host_name or "HOST", self._wish())
        )
        self.notified.emit(self.tr("Copied"))

    def _on_planned(self, plan: SmokePlan | None) -> None:
        self._plan = plan
        self._show()

    def _on_report(self, report: SmokeReport) -> None:
        self._report = report
        self._show()

    def _on_refused(self, error: ErrorInfo) -> None:
        self.failed.emit(error)
        self._show()

    def _show(self) -> None:
        if not self._is_built:
            return
        running = self.view_model.is_running
        self.command.setPlainText(self._plan.command if self._plan is not None else "")
        self.run.setEnabled(self._plan is not None and not running)
        self.cancel.setEnabled(running)
        self.copy.setEnabled(self._plan is not None)
        self.table.setVisible(self._report is not None)
        if self._report is None:
            word = self.tr("Measuring …") if running else self.tr("Not run yet")
            icon = "loader-2" if running else "circle-dot"
            self.verdict.set_state(icon, word, "accent" if running else "unknown")
            self._detail.setText("")
            self._errors.setText("")
            return
        view = present_smoke(self._report)
        self.verdict.set_state(view.icon, view.word, view.status)
        self._detail.setText(view.detail)
        self._errors.setText(view.errors)
        self.model.replace(view.rows)

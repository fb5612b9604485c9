"""Step 4: plans as cards, refused engines with why not, and the two values worth moving."""

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from app.core.planning.plan import PlanResult
from app.ui.icons import IconSet
from app.ui.theme import Theme, letters, space
from app.ui.viewmodels.plan import PlanViewModel
from app.ui.viewmodels.plan_inputs import read_inputs
from app.ui.viewmodels.plan_speed import SpeedView
from app.ui.viewmodels.plan_state import PlanState
from app.ui.viewmodels.plan_texts import (
    EngineCard,
    RefusedCard,
    Why,
    present_plans,
    present_refused,
    present_tuning,
)
from app.ui.widgets.buttons import push_button
from app.ui.widgets.icon_label import IconLabel
from app.ui.widgets.text import ElidedLabel, label, set_style_property

_CONTEXTS: Final = (
    1024, 2048, 4096, 8192, 12_288, 16_384, 24_576, 32_768, 49_152, 65_536, 98_304, 131_072,
    196_608, 262_144, 393_216, 524_288, 1_048_576,
)  # fmt: skip
_CONCURRENCIES: Final = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
_FALLBACK_CONTEXT: Final = 131_072


class ValueSlider(QWidget):
    """A slider over a list of sensible values, with the value in figures."""

    moved = Signal(int)
    released = Signal()
    """“Choose for me” was pressed."""

    def __init__(self, theme: Theme, icons: IconSet) -> None:
        super().__init__()
        self._values: tuple[int, ...] = (1,)
        self.name = label("body")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setPageStep(1)
        self.slider.valueChanged.connect(self._on_value)
        self.figure = label("body")
        self.figure.setFont(theme.font("figure"))
        self.figure.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.figure.setMinimumWidth(letters(theme.font("figure"), 10))
        self.auto = push_button(icons, kind="quiet", on_click=self.released.emit)
        self.name.setBuddy(self.slider)

    def place(self, grid: QGridLayout, row: int) -> None:
        """Put the parts into a grid's row, so that several sliders line up."""
        for column, part in enumerate((self.name, self.slider, self.figure, self.auto)):
            grid.addWidget(part, row, column)

    def set_values(self, values: tuple[int, ...]) -> None:
        """Set what can be chosen."""
        if values != self._values:
            self._values = values
            self.slider.blockSignals(True)
            self.slider.setRange(0, len(values) - 1)
            self.slider.blockSignals(False)

    def show_value(self, value: int | None, *, is_own: bool) -> None:
        """Show a value, chosen by the user or by Pitwall."""
        self.auto.setEnabled(is_own)
        if value is None:
            self.figure.setText("–")
            return
        self.figure.setText(f"{value:,}")
        near = min(range(len(self._values)), key=lambda i: abs(self._values[i] - value))
        if not self.slider.isSliderDown() and near != self.slider.value():
            self.slider.blockSignals(True)
            self.slider.setValue(near)
            self.slider.blockSignals(False)

    def _on_value(self, position: int) -> None:
        value = self._values[position]
        self.figure.setText(f"{value:,}")
        self.moved.emit(value)


class PlanCard(QFrame):
    """One plan; a click chooses it."""

    chosen = Signal(str)

    def __init__(self, card: EngineCard, icons: IconSet, *, choose: str, best: str) -> None:
        super().__init__()
        self.engine = card.engine
        self.setProperty("role", "card")
        title = label("section", card.title)
        head = QHBoxLayout()
        head.setSpacing(space(2))
        self._mark = IconLabel(icons)
        self._mark.set("circle-check", "accent")
        head.addWidget(self._mark)
        head.addWidget(title)
        if card.is_best:
            head.addWidget(label("chip", best))
        head.addStretch(1)
        self.button = push_button(icons, on_click=lambda: self.chosen.emit(self.engine))
        self.button.setText(choose)
        self.button.setAccessibleName(f"{choose}: {card.title}")
        head.addWidget(self.button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(space(3), space(2), space(3), space(2))
        layout.setSpacing(space(1))
        layout.addLayout(head)
        layout.addWidget(ElidedLabel(card.image, role="muted"))
        layout.addWidget(label("body", card.facts, wrap=True))
        if card.speed is not None:
            layout.addWidget(_speed_label(card.speed))
            layout.addWidget(label("muted", card.speed.notes, wrap=True))
        for advice in card.advice:
            layout.addLayout(_sentence(icons, "alert-triangle", "status.warn", advice))
        for reason in card.reasons:
            layout.addLayout(_sentence(icons, "check", "status.ok", reason))

    def set_chosen(self, *, chosen: bool) -> None:
        """Mark the plan that goes on."""
        self._mark.setVisible(chosen)
        self.button.setVisible(not chosen)
        set_style_property(self, "selected", "true" if chosen else "false")


class EnginePanel(QWidget):
    """Values to move, ranked plans, refused engines."""

    hardware_wanted = Signal()
    """Nothing can serve here: somebody asks which hardware would do."""

    def __init__(self, view_model: PlanViewModel, theme: Theme, icons: IconSet) -> None:
        super().__init__()
        self._vm = view_model
        self._icons = icons
        self._shown: PlanResult | None = None
        self.cards: list[PlanCard] = []
        self._question = label("section")
        self.context = ValueSlider(theme, icons)
        self.concurrency = ValueSlider(theme, icons)
        self.concurrency.set_values(_CONCURRENCIES)
        self.context.moved.connect(lambda value: self._vm.set_input("context", str(value)))
        self.context.released.connect(lambda: self._vm.set_input("context", ""))
        self.concurrency.moved.connect(lambda value: self._vm.set_input("concurrency", str(value)))
        self.concurrency.released.connect(lambda: self._vm.set_input("concurrency", ""))
        values = QGridLayout()
        values.setHorizontalSpacing(space(3))
        values.setVerticalSpacing(space(1))
        values.setColumnStretch(1, 1)
        self.context.place(values, 0)
        self.concurrency.place(values, 1)
        self._none = label("muted", wrap=True)
        self.ask_hardware = push_button(icons, icon="server", on_click=self.hardware_wanted.emit)
        ask = QHBoxLayout()
        ask.addWidget(self.ask_hardware)
        ask.addStretch(1)
        self._ranked = QVBoxLayout()
        self._ranked.setSpacing(space(2))
        self._refused_title = label("section")
        self._tuning_title = label("section")
        self.tuning = label("muted", wrap=True)
        self._refused = QVBoxLayout()
        self._refused.setSpacing(space(2))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, space(2), 0)
        layout.setSpacing(space(2))
        layout.addWidget(self._question)
        layout.addLayout(values)
        layout.addWidget(self._none)
        layout.addLayout(ask)
        layout.addLayout(self._ranked)
        layout.addSpacing(space(2))
        layout.addWidget(self._refused_title)
        layout.addLayout(self._refused)
        layout.addSpacing(space(2))
        layout.addWidget(self._tuning_title)
        layout.addWidget(self.tuning)
        layout.addStretch(1)
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text again."""
        self._question.setText(self.tr("Which engine, with which values?"))
        self.context.name.setText(self.tr("&Context, tokens"))
        self.concurrency.name.setText(self.tr("&Requests at once"))
        for slider in (self.context, self.concurrency):
            slider.auto.setText(self.tr("Choose for me"))
            slider.slider.setAccessibleName(slider.name.text().replace("&", ""))
        self.ask_hardware.setText(self.tr("Which hardware would do?"))
        self._refused_title.setText(self.tr("Why not the others"))
        self._tuning_title.setText(self.tr("Better values, by measuring"))
        self._shown = None
        self._show_result(self._vm.state)
        self.show_state(self._vm.state)

    def show_state(self, state: PlanState) -> None:
        """Show what is known."""
        self._show_values(state)
        if state.result is not self._shown:
            self._shown = state.result
            self._show_result(state)
        chosen = state.plan.engine if state.plan else ""
        for card in self.cards:
            card.set_chosen(chosen=card.engine == chosen)

    def _show_values(self, state: PlanState) -> None:
        goal, _ = read_inputs(state.inputs)
        plan = state.plan
        limit = state.model.architecture.max_context if state.model else None
        self.context.set_values(_up_to(_CONTEXTS, limit or _FALLBACK_CONTEXT))
        context = plan.parameters.context_tokens if plan else None
        concurrency = plan.parameters.concurrency if plan else None
        self.context.show_value(
            goal.context_tokens or context, is_own=goal.context_tokens is not None
        )
        self.concurrency.show_value(
            goal.concurrency or concurrency, is_own=goal.concurrency is not None
        )

    def _show_result(self, state: PlanState) -> None:
        _clear(self._ranked)
        _clear(self._refused)
        self.cards = []
        result = state.result
        self._refused_title.setVisible(result is not None and bool(result.rejected))
        self._none.setVisible(result is None or not result.ranked)
        self.ask_hardware.setVisible(result is not None and not result.ranked)
        tuning = "" if result is None or not result.ranked else present_tuning(result.tuning)
        self._tuning_title.setVisible(bool(tuning))
        self.tuning.setVisible(bool(tuning))
        self.tuning.setText(tuning)
        if result is None:
            self._none.setText(self.tr("Plans appear here as soon as there is a model."))
            return
        self._none.setText(
            self.tr("No engine can serve this model here. The reasons below say what to change.")
        )
        for entry in present_plans(result.ranked, state.engines):
            card = PlanCard(
                entry, self._icons, choose=self.tr("Take this one"), best=self.tr("Best match")
            )
            card.chosen.connect(self._vm.choose_plan)
            self.cards.append(card)
            self._ranked.addWidget(card)
        for refused in present_refused(result.rejected, state.engines):
            self._refused.addWidget(self._refused_row(refused))

    def _refused_row(self, refused: RefusedCard) -> QWidget:
        box = QWidget()
        layout = QVBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(1)
        head = QHBoxLayout()
        head.setSpacing(space(2))
        picture = IconLabel(self._icons)
        picture.set("ban", "muted")
        head.addWidget(picture)
        head.addWidget(label("body", refused.title))
        head.addWidget(label("chip", refused.short))
        head.addStretch(1)
        layout.addLayout(head)
        layout.addWidget(_why_label(refused.why, indent=24))
        return box


def _sentence(icons: IconSet, icon: str, token: str, why: Why) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(space(2))
    picture = IconLabel(icons)
    picture.set(icon, token)
    row.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(_why_label(why), 1)
    return row


def _speed_label(speed: SpeedView) -> QLabel:
    shown = label("body" if speed.is_known else "muted", speed.text, wrap=True)
    shown.setToolTip(speed.source)
    shown.setAccessibleDescription(speed.notes)
    return shown


def _why_label(why: Why, indent: int = 0) -> QLabel:
    made = label("muted", why.text, wrap=True)
    made.setContentsMargins(indent, 0, 0, 0)
    made.setToolTip(why.source)
    made.setAccessibleDescription(why.source)
    return made


def _up_to(values: tuple[int, ...], limit: int) -> tuple[int, ...]:
    below = tuple(value for value in values if value < limit)
    return (*below, limit)


def _clear(layout: QVBoxLayout) -> None:
    while layout.count():
        item = layout.takeAt(0)
        widget = item.widget() if item is not None else None
        if widget is not None:
            widget.deleteLater()

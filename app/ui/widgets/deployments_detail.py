"""The chosen deployment: state, actions, facts, phases, error, log and chat."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from app.ui.icons import IconSet
from app.ui.theme import Theme, letters, space
from app.ui.viewmodels.deployments import DeploymentsState
from app.ui.viewmodels.deployments_lines import LogModel
from app.ui.viewmodels.deployments_texts import DeploymentDetail
from app.ui.widgets.buttons import icon_button, name_button, push_button
from app.ui.widgets.deployments_actuals import ActualsLine
from app.ui.widgets.deployments_chat import ChatBox
from app.ui.widgets.deployments_log import LogView
from app.ui.widgets.deployments_track import PhaseTrack
from app.ui.widgets.findings import FindingsView
from app.ui.widgets.state import ErrorBanner, StateLabel
from app.ui.widgets.text import ElidedLabel, MonoBlock, label

_LINES_FOR_ALL = 33
"""Lines that facts, phases, findings and a few lines of the log need."""


class DetailPane(QWidget):
    """Everything about one deployment; says what was asked for."""

    asked = Signal(str)
    """``start stop restart remove tunnel close_tunnel copy_endpoint copy_key copy_curl
    remove_older roll_back bundle compare slow actuals``"""

    def __init__(self, theme: Theme, icons: IconSet, log: LogModel) -> None:
        super().__init__()
        self._theme = theme
        self._icons = icons
        self._shown: DeploymentDetail | None = None
        self._build_head()
        self._build_facts()
        self.track = PhaseTrack(theme, icons)
        self._track_title = label("section")
        self._eta = label("muted")
        self.banner = ErrorBanner(icons)
        self._details = MonoBlock(theme, wrap=True)
        self.findings = FindingsView(theme, icons)
        self.findings.hide()
        self.log = LogView(theme, icons, log)
        self.log.enlarged.connect(lambda _on: self._fit())
        self.chat = ChatBox(icons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(space(2))
        layout.addLayout(self._head)
        layout.addWidget(self._facts)
        self._start_card = self._track_card()
        layout.addWidget(self._start_card)
        layout.addWidget(self.banner)
        layout.addWidget(self._details)
        layout.addWidget(self._explained(), 1)
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text again."""
        words = {
            "start": self.tr("Start"),
            "stop": self.tr("Stop"),
            "restart": self.tr("Restart"),
            "remove": self.tr("Remove"),
        }
        for action, word in words.items():
            self.buttons[action].setText(word)
        name_button(self.compare, self.tr("Compare with…"))
        name_button(self.bundle, self.tr("Support bundle…"))
        name_button(self.slow, self.tr("Where does the time go?"))
        self._badge.setText(self.tr("Simulated"))
        self._endpoint_name.setText(self.tr("Endpoint"))
        name_button(self._copy, self.tr("Copy the endpoint"))
        self.copy_key.setText(self.tr("Copy key"))
        self.copy_key.setToolTip(
            self.tr("The API key that clients must send. It is copied, not shown.")
        )
        self.copy_curl.setText(self.tr("Copy as curl"))
        self.copy_curl.setToolTip(
            self.tr("A command that asks through the open tunnel, with the key in it.")
        )
        self.remove_older.setText(self.tr("Remove old revisions"))
        self._track_title.setText(self.tr("Start"))
        self.actuals.retranslate()
        self._found.setText(
            self.tr("Found running on the host; how its start went is not known here.")
        )
        self.track.setAccessibleName(self.tr("Phases of the start"))
        self._details.setAccessibleName(self.tr("Details"))
        self._shown = None

    def show_state(self, state: DeploymentsState) -> None:
        """Show the chosen deployment."""
        detail = state.detail
        self.chat.set_view(state.chat)
        self.log.set_trouble(state.log_error)
        if detail is None or detail == self._shown:
            return
        if self._shown is not None and self._shown.card.ref != detail.card.ref:
            self.chat.clear_prompt()
            # Whoever paused at one deployment did not pause at the other.
            self.log.set_following(following=True)
        self._shown = detail
        card = detail.card
        self._name.set_text(card.ref)
        self._state.set_state(card.state.icon, card.state.word, card.state.status)
        self._badge.setVisible(card.simulated)
        allowed = detail.allowed
        for action, is_allowed in (
            ("start", allowed.start),
            ("stop", allowed.stop),
            ("restart", allowed.restart),
            ("remove", allowed.remove),
        ):
            self.buttons[action].setEnabled(is_allowed)
        self.slow.setVisible(allowed.chat)
        self.buttons["start"].setVisible(allowed.start)
        self.buttons["stop"].setVisible(not allowed.start)
        self._show_endpoint(detail)
        self._show_facts(detail)
        self.older.setVisible(detail.older > 0)
        self.roll_back.setVisible(detail.rollback_to is not None)
        to = self.tr("Roll back to revision {number}")
        self.roll_back.setText(to.format(number=detail.rollback_to))
        text = self.tr("Stopped containers of other revisions: {count}")
        self._older_text.setText(text.format(count=detail.older))
        self.track.set_phases(detail.phases)
        self.track.setVisible(not detail.found_running)
        self._found.setVisible(detail.found_running)
        self._eta.setText(detail.eta)
        self.findings.show_panel(detail.findings)
        self._show_error(detail)
        self._show_reported(detail)
        self.chat.set_open(is_open=allowed.chat)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """See again what there is room for."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """On a low screen a finding stands in the place of the phases: it says where they ended.

        A log that was given all the room has it alone.
        """
        is_low = self.height() < self.fontMetrics().height() * _LINES_FOR_ALL
        is_explained = self.findings.panel is not None
        is_alone = self.log.enlarge.isChecked()
        self._start_card.setVisible(not is_alone and not (is_low and is_explained))
        self._facts.setHidden(is_alone)
        # Predicted and actual, in the same card, has these figures too.
        has_any = self._shown is not None and bool(self._shown.reported)
        self._reported.setVisible(has_any and not is_low)
        self.findings.setVisible(is_explained and not is_alone)
        # What failed answers nothing: its place is the log's.
        answers = self._shown is not None and self._shown.allowed.chat
        self.chat.setVisible(not is_alone and (answers or not is_explained))

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    # Building

    def _build_head(self) -> None:
        icons = self._icons
        self._name = ElidedLabel(role="section")
        self._state = StateLabel(icons)
        self._badge = label("badge")
        self.buttons = {
            action: push_button(
                icons,
                icon=icon,
                kind="danger" if action == "remove" else "",
                on_click=lambda action=action: self.asked.emit(action),  # type: ignore[misc]
            )
            for action, icon in (
                ("start", "player-play"),
                ("stop", "player-stop"),
                ("restart", "rotate-clockwise"),
                ("remove", "trash"),
            )
        }
        self._head = QHBoxLayout()
        self._head.setSpacing(space(2))
        self._head.addWidget(self._state)
        self._head.addWidget(self._badge, 0, Qt.AlignmentFlag.AlignVCenter)
        self._head.addWidget(self._name, 1)
        self.bundle = icon_button(icons, "file-export", on_click=lambda: self.asked.emit("bundle"))
        self.compare = icon_button(
            icons, "arrows-diff", on_click=lambda: self.asked.emit("compare")
        )
        self.slow = icon_button(
            icons, "heart-rate-monitor", on_click=lambda: self.asked.emit("slow")
        )
        self._head.addWidget(self.slow)
        self._head.addWidget(self.compare)
        self._head.addWidget(self.bundle)
        for button in self.buttons.values():
            self._head.addWidget(button)

    def _build_facts(self) -> None:
        icons = self._icons
        self._facts = QFrame()
        self._facts.setProperty("role", "card")
        self._endpoint_name = label("muted")
        # A long host name must not push the port out of sight: it alone is shortened.
        self._endpoint_host = ElidedLabel(role="muted", mode=Qt.TextElideMode.ElideMiddle)
        self._endpoint = label("body")
        self._endpoint.setFont(self._theme.font("mono"))
        self._endpoint.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._copy = icon_button(icons, "copy", on_click=lambda: self.asked.emit("copy_endpoint"))
        self.copy_key = push_button(icons, icon="key", on_click=lambda: self.asked.emit("copy_key"))
        self.copy_curl = push_button(
            icons, icon="terminal-2", on_click=lambda: self.asked.emit("copy_curl")
        )
        self.tunnel = push_button(icons, icon="link", on_click=self._on_tunnel)
        row = QHBoxLayout()
        row.setSpacing(space(2))
        row.addWidget(self._endpoint_name)
        row.addWidget(self._endpoint)
        row.addWidget(self._copy)
        row.addWidget(self._endpoint_host, 1)
        row.addWidget(self.copy_key)
        row.addWidget(self.copy_curl)
        row.addWidget(self.tunnel)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(space(3))
        self._grid.setVerticalSpacing(2)
        layout = QVBoxLayout(self._facts)
        layout.setContentsMargins(space(3), space(2), space(3), space(2))
        layout.setSpacing(space(1))
        layout.addLayout(row)
        layout.addLayout(self._grid)
        layout.addWidget(self._build_older())

    def _build_older(self) -> QWidget:
        self.older = QWidget()
        self._older_text = label("muted")
        self.remove_older = push_button(
            self._icons,
            icon="trash",
            kind="quiet",
            on_click=lambda: self.asked.emit("remove_older"),
        )
        self.roll_back = push_button(
            self._icons,
            icon="history",
            kind="quiet",
            on_click=lambda: self.asked.emit("roll_back"),
        )
        row = QHBoxLayout(self.older)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._older_text)
        row.addWidget(self.roll_back)
        row.addWidget(self.remove_older)
        row.addStretch(1)
        self.older.hide()
        return self.older

    def _track_card(self) -> QWidget:
        card = QFrame()
        card.setProperty("role", "card")
        head = QHBoxLayout()
        head.addWidget(self._track_title)
        head.addStretch(1)
        head.addWidget(self._eta)
        layout = QVBoxLayout(card)
        layout.setContentsMargins(space(3), space(2), space(3), space(2))
        layout.setSpacing(space(2))
        self._reported = label("muted", wrap=True)
        self._reported.setFont(self._theme.font("figure"))
        layout.addLayout(head)
        self._found = label("muted", wrap=True)
        layout.addWidget(self.track)
        layout.addWidget(self._found)
        layout.addWidget(self._reported)
        self.actuals = ActualsLine(self._icons)
        self.actuals.wanted.connect(lambda: self.asked.emit("actuals"))
        layout.addWidget(self.actuals)
        return card

    def _explained(self) -> QWidget:
        """Findings above the log; the line between them can be moved."""
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(space(2))
        self.findings.setMinimumHeight(self.fontMetrics().height() * 8)
        splitter.addWidget(self.findings)
        splitter.addWidget(self._lower())
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 2)
        splitter.setSizes([430, 150])
        return splitter

    def _lower(self) -> QWidget:
        self.chat.setMinimumWidth(letters(self.font(), 34))
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(space(3))
        splitter.addWidget(self.log)
        splitter.addWidget(self.chat)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([560, 300])
        return splitter

    # Showing

    def _show_endpoint(self, detail: DeploymentDetail) -> None:
        endpoint = detail.tunnel_url or detail.card.endpoint
        # What is copied has all of it; here the port must not be cut off.
        self._endpoint.setText(endpoint.removeprefix("http://") or self.tr("none"))
        is_there = bool(endpoint) and not detail.tunnel_url
        on_host = self.tr("on {host}").format(host=detail.card.host_name)
        by_tunnel = self.tr("through the tunnel") if detail.tunnel_url else ""
        self._endpoint_host.set_text(on_host if is_there else by_tunnel)
        self._copy.setEnabled(bool(endpoint))
        self.tunnel.setEnabled(detail.allowed.tunnel)
        self.copy_key.setEnabled(bool(endpoint))
        self.copy_curl.setVisible(bool(detail.tunnel_url))
        self.tunnel.setText(
            self.tr("Close tunnel") if detail.tunnel_url else self.tr("Open tunnel")
        )

    def _show_facts(self, detail: DeploymentDetail) -> None:
        _clear(self._grid)
        for number, (name, value) in enumerate(detail.facts):
            row, column = number // 3, number % 3 * 2
            self._grid.addWidget(label("muted", name), row, column)
            shown = ElidedLabel(value)
            shown.setFont(self._theme.font("figure"))
            shown.setAccessibleName(f"{name}: {value}")
            self._grid.addWidget(shown, row, column + 1)
            self._grid.setColumnStretch(column + 1, 1)

    def _show_error(self, detail: DeploymentDetail) -> None:
        error = detail.error
        explained = detail.findings is not None and bool(detail.findings.cards)
        if error is None or explained:
            # The finding says the same, and more.
            self.banner.clear()
        elif self.banner.error != error:
            self.banner.show_error(error, status="warn" if detail.is_gone else "error")
        text = "" if error is None or explained else error.details.strip()
        self._details.setVisible(bool(text))
        if self._details.toPlainText() != text:
            self._details.setPlainText(text)
            lines = min(text.count("\n") + 2, 6)
            self._details.setFixedHeight(self._details.fontMetrics().height() * lines + 12)

    def _show_reported(self, detail: DeploymentDetail) -> None:
        self._reported.setVisible(bool(detail.reported))
        parts = " · ".join(f"{name} {value}" for name, value in detail.reported)
        self._reported.setText(self.tr("The engine reported: {values}").format(values=parts))

    def _on_tunnel(self) -> None:
        is_open = self._shown is not None and bool(self._shown.tunnel_url)
        self.asked.emit("close_tunnel" if is_open else "tunnel")


def _clear(grid: QGridLayout) -> None:
    while grid.count():
        item = grid.takeAt(0)
        widget = item.widget() if item is not None else None
        if widget is not None:
            widget.deleteLater()

"""The Hosts page without hosts: three ways to begin."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.ui.icons import IconSet
from app.ui.theme import letters, space
from app.ui.widgets.buttons import ChoiceButton
from app.ui.widgets.text import label


class HostsWelcome(QWidget):
    """Try the demo host, this computer, or a host over SSH."""

    def __init__(self, icons: IconSet) -> None:
        super().__init__()
        self._title = label("title")
        self._note = label("muted", wrap=True)
        self._note.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.demo = ChoiceButton(icons, "flask")
        self.local = ChoiceButton(icons, "device-desktop")
        self.ssh = ChoiceButton(icons, "server")
        self.imported = ChoiceButton(icons, "file-import")
        row = QHBoxLayout()
        row.setSpacing(space(4))
        for choice in (self.demo, self.local, self.ssh, self.imported):
            row.addWidget(choice, 1)
        column = QWidget()
        column.setMaximumWidth(letters(self.font(), 160))
        inner = QVBoxLayout(column)
        inner.setSpacing(space(3))
        inner.addStretch(2)
        inner.addWidget(self._title, 0, Qt.AlignmentFlag.AlignHCenter)
        inner.addWidget(self._note)
        inner.addSpacing(space(3))
        inner.addLayout(row)
        inner.addStretch(3)
        outer = QHBoxLayout(self)
        outer.addStretch(1)
        outer.addWidget(column, 20)
        outer.addStretch(1)

    def retranslate(self) -> None:
        """Set every text again."""
        self._title.setText(self.tr("Where shall the models run?"))
        self._note.setText(
            self.tr(
                "Pitwall installs nothing on a host. It needs SSH, or this computer, and the "
                "container engine that is there."
            )
        )
        self.demo.set_texts(
            self.tr("Try the demo host"),
            self.tr(
                "Two H200 GPUs from a recording and a simulated engine: try everything at once, "
                "without hardware."
            ),
        )
        self.local.set_texts(
            self.tr("This computer"),
            self.tr("Use the GPUs, or the processors, of the computer that Pitwall runs on."),
        )
        self.ssh.set_texts(
            self.tr("Add over SSH"),
            self.tr("A server with key or password. Its host key is shown before anything else."),
        )
        self.imported.set_texts(
            self.tr("Import from SSH config"),
            self.tr("Choose from the hosts that your SSH client knows; none is contacted yet."),
        )

"""Form fields: the name above, the input, and its error or hint below in a line of its own."""

from PySide6.QtWidgets import QBoxLayout, QLineEdit, QWidget

from app.ui.theme import space
from app.ui.widgets.text import label, set_style_property


class Field(QWidget):
    """An input with its name and its error; the error's line is always there: nothing jumps."""

    def __init__(
        self, editor: QWidget, parent: QWidget | None = None, *, is_flat: bool = False
    ) -> None:
        """Take an editor; a flat field has its name and hint beside it, where height is short."""
        super().__init__(parent)
        self.editor = editor
        self._hint = ""
        self._name = label("body")
        self._name.setBuddy(editor)
        # Wrapped: a hint or an error is never cut, and never makes its page wider.
        self._note = label("caption", wrap=True)
        self._note.setMinimumHeight(self._note.fontMetrics().height())
        way = QBoxLayout.Direction.LeftToRight if is_flat else QBoxLayout.Direction.TopToBottom
        layout = QBoxLayout(way, self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(space(2) if is_flat else space(1) // 2)
        layout.addWidget(self._name)
        layout.addWidget(editor)
        layout.addWidget(self._note, 1 if is_flat else 0)
        if not is_flat:
            # Fields side by side begin at the same height, whatever their editors are.
            layout.addStretch(1)
        if isinstance(editor, QLineEdit):
            editor.textEdited.connect(self.clear_error)

    def focus_on(self, editor: QWidget) -> None:
        """Let name, error colour and focus go to a part of the editor."""
        self.editor = editor
        self._name.setBuddy(editor)
        if isinstance(editor, QLineEdit):
            editor.textEdited.connect(self.clear_error)

    def set_words(self, name: str, hint: str = "") -> None:
        """Set the field's name (with its mnemonic) and its quiet hint."""
        self._name.setText(name)
        self._hint = hint
        self.editor.setAccessibleName(name.replace("&", ""))
        self._note.setText(hint)

    @property
    def error(self) -> str:
        """The error that is shown, else an empty text."""
        return self._note.text() if self._note.property("role") == "error" else ""

    def set_error(self, text: str) -> None:
        """Say what is wrong with the input."""
        set_style_property(self._note, "role", "error")
        self._note.setText(text)
        self.editor.setAccessibleDescription(text)
        set_style_property(self.editor, "invalid", "true")

    def clear_error(self) -> None:
        """Take the error away."""
        set_style_property(self._note, "role", "caption")
        self._note.setText(self._hint)
        self.editor.setAccessibleDescription("")
        set_style_property(self.editor, "invalid", "false")

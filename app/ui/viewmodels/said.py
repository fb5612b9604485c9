"""Sentences that data files carry in both languages, in the language in force."""

from app.core.texts import Text
from app.ui.messages import is_english


def said(text: Text) -> str:
    """Return a text of a data file as the window says it; a missing one falls back."""
    if is_english():
        return text.en
    return text.zh_CN or text.en

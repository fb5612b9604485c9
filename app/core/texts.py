"""Sentences in both languages, and reasons that say which fact they rest on.

They live below engines and planning so that both can speak without importing each other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A sentence in both languages."""

    # Its own: what pydantic takes over from the first class that holds one depends on the order.
    __pydantic_config__: ClassVar[Mapping[str, str]] = MappingProxyType({"extra": "forbid"})
    en: str
    zh_CN: str  # noqa: N815 - the language's own code

    def filled(self, values: Mapping[str, object]) -> "Text":
        """Return the text with ``{name}`` places filled; an unknown name stays visible.

        ``{name:,}`` groups a number's digits, and leaves what is no number alone.

        Example:
            >>> Text(en="{count:,} tokens of {all:,}", zh_CN="").filled({"count": 16384}).en
            '16,384 tokens of {all}'
        """
        return Text(en=_filled(self.en, values), zh_CN=_filled(self.zh_CN, values))

    def with_text(self, name: str, inner: "Text") -> "Text":
        """Return the text with one place filled by another sentence, each in its language.

        Nothing else is looked at: what was filled in before may have braces of its own.
        """
        place = f"{{{name}}}"
        return Text(
            en=self.en.replace(place, inner.en), zh_CN=self.zh_CN.replace(place, inner.zh_CN)
        )


def said(text: Text, language: str) -> str:
    """Return a text in a language; a missing one falls back to English."""
    return (text.zh_CN or text.en) if language == "zh_CN" else text.en


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a value was chosen or an engine refused, from which fact."""

    code: str
    text: Text
    source: str
    """Document, version and date the fact comes from; ``field opinion`` is said so."""
    parameter: str = ""
    """The plan field or flag it speaks of; empty for the engine as a whole."""


def sourced(source: str, checked: str) -> str:
    """Return a source with the date it was checked."""
    return f"{source} ({checked})" if checked else source


def _filled(text: str, values: Mapping[str, object]) -> str:
    return text.format_map(_Places(values))


class _Word(str):
    """What is no number: it stays as it is, whatever form was asked for."""

    __slots__ = ()

    def __format__(self, _form: str) -> str:
        return str(self)


class _Places(dict[str, object]):
    def __getitem__(self, key: str) -> object:
        value = super().get(key, "{" + key + "}")
        return value if isinstance(value, int | float) else _Word(value)

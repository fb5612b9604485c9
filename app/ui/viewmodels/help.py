"""The Help page without widgets: topics from Markdown files."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpPageText:
    """One topic."""

    id: str
    title: str
    markdown: str


def help_pages(pages: Mapping[str, Mapping[str, str]], language: str) -> tuple[HelpPageText, ...]:
    """Return the topics of a language in the order of their files."""
    chosen = pages.get(language) or pages.get("en") or {}
    return tuple(
        HelpPageText(id=name, title=_title(text, name), markdown=text)
        for name, text in sorted(chosen.items())
    )


def _title(text: str, name: str) -> str:
    first = text.lstrip().partition("\n")[0]
    return first.removeprefix("#").strip() or name

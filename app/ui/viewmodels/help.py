"""The Help page without widgets: topics from Markdown files, their sections, search in them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.ui.keys import EVERYWHERE_KEYS, PAGE_KEYS, WINDOW_KEYS, shown, words_of

translate = QCoreApplication.translate

FIRST_TOPIC: Final = "01-start"
_HEADING: Final = re.compile(r"^#{1,3} +(.+?) *$", re.MULTILINE)
_KEYS_HERE: Final = "<!-- keys -->"
"""A line of the keys' topic that gives way to the table of the real keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpSection:
    """A heading of a topic."""

    title: str
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpPageText:
    """One topic."""

    id: str
    title: str
    markdown: str
    sections: tuple[HelpSection, ...]
    """Its headings, the topic's own title first."""


def help_pages(pages: Mapping[str, Mapping[str, str]], language: str) -> tuple[HelpPageText, ...]:
    """Return the topics of a language in the order of their files."""
    chosen = pages.get(language) or pages.get("en") or {}
    return tuple(_page(name, text) for name, text in sorted(chosen.items()))


def topic_of(page_id: str, topics: Sequence[str]) -> str:
    """Return the topic that speaks of a page: ``02-hosts`` of ``hosts``; else the first steps."""
    return next((topic for topic in topics if topic.partition("-")[2] == page_id), FIRST_TOPIC)


def find_topics(pages: Sequence[HelpPageText], typed: str) -> tuple[HelpPageText, ...]:
    """Return the topics that hold every typed word; all of them without any."""
    words = typed.casefold().split()
    return tuple(page for page in pages if all(w in page.markdown.casefold() for w in words))


def keys_table(pages: Mapping[str, str]) -> str:
    """Return the keys as a Markdown table; ``pages`` are the words of each page by id."""
    last = min(len(pages), 9)
    rows = [(f"{shown('Ctrl+1')} … {shown(f'Ctrl+{last}')}", translate("Keys", "Pages, from top"))]
    rows += [(shown(key.keys), words_of(key)) for key in (*WINDOW_KEYS, *EVERYWHERE_KEYS)]
    for page_id, keys in PAGE_KEYS.items():
        place = pages.get(page_id, page_id)
        rows += [(shown(key.keys), f"{place}: {words_of(key)}") for key in keys]
    head = (translate("Keys", "Key"), translate("Keys", "Does"))
    lines = [head, ("---", "---"), *rows]
    return "\n".join(f"| {keys} | {does} |" for keys, does in lines)


def with_keys(markdown: str, pages: Mapping[str, str]) -> str:
    """Put the table of keys where a topic asks for it."""
    return markdown.replace(_KEYS_HERE, keys_table(pages)) if _KEYS_HERE in markdown else markdown


def _page(name: str, text: str) -> HelpPageText:
    sections = tuple(
        HelpSection(title=found[1], level=len(found[0]) - len(found[0].lstrip("#")))
        for found in _HEADING.finditer(text)
    )
    title = sections[0].title if sections else name
    return HelpPageText(
        id=name,
        title=title,
        markdown=text,
        sections=sections or (HelpSection(title=name, level=1),),
    )

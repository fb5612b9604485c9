"""A comparison as one page of text that can be read, selected and copied."""

from html import escape
from typing import Final

from app.ui.theme import Theme
from app.ui.viewmodels.fingerprint_compare_texts import (
    ComparisonView,
    DifferenceGroup,
    DifferenceRow,
)

_WIDTHS: Final = (34, 33, 33)
"""Per cent: what, one side, other side."""


def comparison_html(view: ComparisonView, theme: Theme) -> str:
    """Write the groups as tables in the theme's colours."""
    muted = theme.color("muted").name()
    parts = [_table(group, view, theme) for group in view.groups]
    if view.not_compared:
        parts.append(f'<p style="color:{muted}">{escape(view.not_compared)}</p>')
    return "".join(parts)


def _table(group: DifferenceGroup, view: ComparisonView, theme: Theme) -> str:
    color = theme.color(f"status.{group.status}").name()
    muted, line = theme.color("muted").name(), theme.color("border").name()
    title = (
        f'<h3 style="color:{color}; margin-bottom:4px; margin-left:4px">{escape(group.title)}</h3>'
    )
    heads = "".join(
        f'<td width="{width}%" style="color:{muted}">{escape(word)}</td>'
        for width, word in zip(_WIDTHS, ("", view.a, view.b), strict=True)
    )
    rows = "".join(_row(row, muted, line) for row in group.rows)
    return (
        f'{title}<table width="100%" cellspacing="0" cellpadding="4"><tr>{heads}</tr>{rows}</table>'
    )


def _row(row: DifferenceRow, muted: str, line: str) -> str:
    top = f'style="border-top:1px solid {line}"'
    area = f'<span style="color:{muted}"> · {escape(row.area)}</span>'
    values = "".join(f"<td {top}>{escape(value)}</td>" for value in (row.a, row.b))
    label = f"<td {top}><b>{escape(row.label)}</b>{area}</td>"
    meaning = f'<tr><td colspan="3">{escape(row.meaning)}</td></tr>' if row.meaning else ""
    return f"<tr>{label}{values}</tr>{meaning}"

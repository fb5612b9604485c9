"""Sizes and distances of a help text: those of the window, not of a web page."""

from collections.abc import Iterator
from typing import Final

from PySide6.QtGui import (
    QFont,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFragment,
    QTextTable,
)

from app.ui.theme import Theme, space

_INDENT: Final = 28


def lay_out(document: QTextDocument, theme: Theme) -> None:
    """Give headings the window's own sizes, paragraphs room between them, tables calm lines."""
    document.setIndentWidth(_INDENT)
    block = document.begin()
    while block.isValid():
        _straighten(block)
        _lay_out_block(block, theme)
        block = block.next()
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _lay_out_table(frame, theme)


def _straighten(block: QTextBlock) -> None:
    """Stress words by weight: a slant made from an upright font leans over the space behind it.

    Chinese has no slanted signs at all.
    """
    slanted = [
        (fragment.position(), fragment.length())
        for fragment in _fragments(block)
        if fragment.charFormat().fontItalic()
    ]
    form = QTextCharFormat()
    form.setFontItalic(False)
    form.setFontWeight(QFont.Weight.DemiBold)
    for start, length in slanted:
        cursor = QTextCursor(block)
        cursor.setPosition(start)
        cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(form)


def _fragments(block: QTextBlock) -> Iterator[QTextFragment]:
    at = block.begin()
    while not at.atEnd():
        yield at.fragment()
        at += 1


def _lay_out_block(block: QTextBlock, theme: Theme) -> None:
    cursor, shape = QTextCursor(block), block.blockFormat()
    level = shape.headingLevel()
    if cursor.currentTable() is not None:
        return
    if level:
        font = theme.font("title" if level == 1 else "section")
        form = QTextCharFormat(block.begin().fragment().charFormat())
        # Qt sizes headings by steps of its own, and these go before a size in points.
        form.clearProperty(QTextCharFormat.Property.FontSizeAdjustment)
        form.setFontPointSize(font.pointSizeF())
        form.setFontWeight(font.weight())
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        cursor.setCharFormat(form)
    shape.setTopMargin(space(4) if level > 1 else 0)
    shape.setBottomMargin(space(1) if block.textList() is not None else space(2))
    QTextCursor(block).setBlockFormat(shape)


def _lay_out_table(table: QTextTable, theme: Theme) -> None:
    form = table.format()
    form.setBorderBrush(theme.color("border"))
    form.setBorderCollapse(True)
    form.setCellPadding(space(1))
    form.setTopMargin(space(1))
    form.setBottomMargin(space(3))
    table.setFormat(form)

"""Themes: tokens from a file become a palette, a style sheet and fonts for the application.

Colours are named by token everywhere; `Theme.changed` says that drawn things must be redrawn.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final

from PySide6.QtCore import QDir, QObject, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontInfo,
    QFontMetricsF,
    QGuiApplication,
    QPalette,
)

from app.core.appearance import Theme as ThemeTokens
from app.core.appearance import contrast
from app.ui.stylesheet import build_style_sheet

SIZE_FACTORS: Final[Mapping[str, float]] = {
    "title": 1.35,
    "section": 1.1,
    "body": 1.0,
    "caption": 0.9,
    "mono": 0.95,
    "figure": 1.0,
}
"""Sizes of the text roles in terms of the system's size."""

_SPACING: Final = (0, 4, 8, 12, 16, 24)
_LEAST_POINTS: Final = 9.75
_LEAST_PERCENT: Final = 80
_MOST_PERCENT: Final = 200
_PLAIN_FAMILIES: Final = {"DejaVu Sans", "Bitstream Vera Sans", "Sans Serif"}
"""What fontconfig falls back to where no desktop chose a font."""
_NICER_FAMILIES: Final = ("Inter", "Noto Sans", "Noto Sans CJK SC", "Source Han Sans SC")


def space(step: int) -> int:
    """Return the spacing of step 0 to 5: 0, 4, 8, 12, 16, 24 pixels."""
    return _SPACING[step]


def letters(font: QFont, count: float) -> int:
    """Return the width of ``count`` figures in a font, in pixels.

    Not `averageCharWidth`: with fonts that hold Chinese that is nearly twice as wide.
    """
    return round(QFontMetricsF(font).horizontalAdvance("0") * count)


class Theme(QObject):
    """The theme in force: ask it for colours and fonts, listen to `changed`."""

    changed = Signal()

    def __init__(
        self,
        themes: Mapping[str, ThemeTokens],
        folder: Path | None = None,
        parent: QObject | None = None,
    ) -> None:
        """Take the themes by name; ``folder`` holds the arrows that the style sheet names."""
        super().__init__(parent)
        if folder is not None:
            QDir.setSearchPaths("theme", [str(folder)])
        self._themes = themes
        self._tokens = themes["light"]
        self._choice = "light"
        self._base_font = _choose_base_font()
        self.around_change: Callable[[], AbstractContextManager[None]] = nullcontext
        """What a change of the style sheet happens in; the window leaves hidden pages out."""
        self._font_changed = False
        self._own_points = self._base_font.pointSizeF()

    @property
    def is_dark(self) -> bool:
        """True while a dark theme is in force."""
        return self._tokens.is_dark

    @property
    def name(self) -> str:
        """``light`` or ``dark``: what is in force, whatever was chosen."""
        return self._tokens.id

    def color(self, token: str) -> QColor:
        """Return a token's colour; ``series.1`` is the first curve's.

        Raises:
            KeyError: for a token that the theme does not have.
        """
        if token.startswith("series."):
            return self.series_color(int(token.removeprefix("series.")) - 1)
        return QColor(self._tokens.colors[token])

    def series_color(self, number: int) -> QColor:
        """Return the colour of curve ``number`` (from 0); after the last the first comes again."""
        return QColor(self._tokens.series[number % len(self._tokens.series)])

    def ink_on(self, ground: QColor) -> QColor:
        """Return the token's colour that reads better on a coloured ground."""
        inks = (self.color("text"), self.color("surface"))
        return max(inks, key=lambda ink: contrast(ink.name(), ground.name()))

    def font(self, role: str = "body") -> QFont:
        """Return the font of ``title section body caption mono figure``."""
        font = QFont(self._base_font)
        if role == "mono":
            font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(self._base_font.pointSizeF() * SIZE_FACTORS[role])
        if role in {"title", "section"}:
            font.setWeight(QFont.Weight.DemiBold)
        if role == "figure":
            font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def scale_text(self, percent: int) -> None:
        """Make every text larger or smaller; to be called before widgets are made."""
        points = self._own_points * min(max(percent, _LEAST_PERCENT), _MOST_PERCENT) / 100
        self._base_font.setPointSizeF(points)

    def choose(self, choice: str) -> None:
        """Put ``system``, ``light`` or ``dark`` in force."""
        self._choice = choice
        name = _system_theme() if choice == "system" else choice
        self._tokens = self._themes.get(name, self._themes["light"])
        self._apply()
        self.changed.emit()

    def use_language(self, language: str) -> None:
        """Give English its own punctuation: fonts that hold Chinese have wide quotation marks."""
        before = QFont(self._base_font)
        for feature in ("pwid", "palt"):
            if language == "en":
                self._base_font.setFeature(QFont.Tag(feature), 1)
            else:
                self._base_font.unsetFeature(QFont.Tag(feature))
        self._font_changed = self._base_font != before
        self.choose(self._choice)

    def follow_system(self) -> None:
        """Go along when the desktop switches between light and dark and we follow it."""
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_scheme_changed)

    def _on_scheme_changed(self) -> None:
        if self._choice == "system":
            self.choose("system")

    def _apply(self) -> None:
        application = QGuiApplication.instance()
        if not isinstance(application, QGuiApplication):
            return
        application.setFont(self._base_font)
        sheet = build_style_sheet(self._tokens, self._base_font.pointSizeF())
        # Qt styles every widget anew even for the sheet it has; but widgets that the sheet gave a
        # font keep its features until then.
        if self._font_changed or application.property("styleSheet") != sheet:
            self._font_changed = False
            # From one sheet to the next Qt goes three times as long as over none (1,400 widgets:
            # 480 ms against 150 ms); nothing is painted in between.
            with self.around_change():
                application.setProperty("styleSheet", "")
                application.setPalette(build_palette(self))
                application.setProperty("styleSheet", sheet)


def build_palette(theme: Theme) -> QPalette:
    """Return the palette of a theme's tokens, for what no style sheet reaches."""
    palette = QPalette()
    roles = {
        QPalette.ColorRole.Window: "window",
        QPalette.ColorRole.WindowText: "text",
        QPalette.ColorRole.Base: "surface",
        QPalette.ColorRole.AlternateBase: "window",
        QPalette.ColorRole.Text: "text",
        QPalette.ColorRole.PlaceholderText: "muted",
        QPalette.ColorRole.Button: "raised",
        QPalette.ColorRole.ButtonText: "text",
        QPalette.ColorRole.BrightText: "status.error",
        QPalette.ColorRole.Highlight: "selected",
        QPalette.ColorRole.HighlightedText: "text",
        QPalette.ColorRole.Accent: "accent",
        QPalette.ColorRole.Link: "accent",
        QPalette.ColorRole.LinkVisited: "accent",
        QPalette.ColorRole.ToolTipBase: "raised",
        QPalette.ColorRole.ToolTipText: "text",
        QPalette.ColorRole.Light: "raised",
        QPalette.ColorRole.Midlight: "hover",
        QPalette.ColorRole.Mid: "border",
        QPalette.ColorRole.Dark: "strong",
        QPalette.ColorRole.Shadow: "strong",
    }
    for role, token in roles.items():
        palette.setColor(role, theme.color(token))
    disabled = QPalette.ColorGroup.Disabled
    for role in (
        QPalette.ColorRole.WindowText,
        QPalette.ColorRole.Text,
        QPalette.ColorRole.ButtonText,
        QPalette.ColorRole.HighlightedText,
    ):
        palette.setColor(disabled, role, theme.color("strong"))
    return palette


def _system_theme() -> str:
    scheme = QGuiApplication.styleHints().colorScheme()
    return "dark" if scheme == Qt.ColorScheme.Dark else "light"


def _choose_base_font() -> QFont:
    """Return the system's font, or a better one where only fontconfig's last resort is set."""
    font = QFont(QGuiApplication.font())
    if QFontInfo(font).family() in _PLAIN_FAMILIES:
        known = set(QFontDatabase.families())
        nicer = [family for family in _NICER_FAMILIES if family in known]
        if nicer:
            font.setFamilies([*nicer, font.family()])
    font.setPointSizeF(max(font.pointSizeF(), _LEAST_POINTS))
    return font

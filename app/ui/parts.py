"""What the window is drawn with: theme, icons, languages and texts, built together."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.assets import Assets, load_assets
from app.ui.i18n import Translations
from app.ui.icons import IconSet
from app.ui.theme import Theme

if TYPE_CHECKING:
    from app.bootstrap import Application

THEMES = ("light", "dark")


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowParts:
    """Everything that pages are drawn with."""

    theme: Theme
    icons: IconSet
    translations: Translations
    assets: Assets


def build_parts(app: "Application") -> WindowParts:
    """Read the assets and put the preferred language and theme in force."""
    assets = load_assets(app.data_root)
    folder = app.data_root / "resources" / "themes"
    theme = Theme({name: app.appearance.theme(name) for name in THEMES}, folder)
    parts = WindowParts(
        theme=theme,
        icons=IconSet(assets.icons, theme),
        translations=Translations(assets.translations),
        assets=assets,
    )
    settings = app.settings.get()
    theme.scale_text(settings.text_percent)
    parts.translations.changed.connect(lambda: theme.use_language(parts.translations.language))
    parts.translations.choose(settings.language)
    theme.choose(settings.theme)
    theme.follow_system()
    return parts

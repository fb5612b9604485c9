"""The window's own files."""

from app.io.datafiles import data_root
from app.services.assets import load_assets


def test_assets_hold_icons_help_and_the_lgpl_texts() -> None:
    assets = load_assets(data_root())

    assert "currentColor" in assets.icons["server"]
    assert assets.help_pages["en"]["01-start"].startswith("# First steps")
    assert {"LGPL-3.0", "LGPL-2.1", "MIT-tabler"} <= set(assets.notices)

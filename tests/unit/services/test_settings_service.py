"""Preferences: kept, announced, and what is broken is set aside."""

import pytest

from app.core.errors import ErrorCode, StoreError
from app.core.events import SettingsChanged
from app.core.settings import Language, Settings, ThemeChoice
from app.services.bus import EventBus
from app.services.settings import SettingsService


@pytest.fixture
def bus():
    return EventBus()


@pytest.fixture
def make(tmp_path, bus, fake_clock):
    def build():
        service = SettingsService(file=tmp_path / "c" / "settings.toml", bus=bus, clock=fake_clock)
        service.load()
        return service

    return build


def put(tmp_path, text):
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "settings.toml").write_bytes(text)


def aside(tmp_path):
    return [file.name for file in (tmp_path / "c").glob("*.broken-*")]


def test_without_a_file_the_defaults_hold(make):
    assert make().get() == Settings()
    assert make().notices == ()


async def test_change_is_kept_and_announced_once(make, bus):
    heard = []
    bus.subscribe(heard.append)
    service = make()
    await service.update(language="zh_CN", theme=ThemeChoice.DARK)
    await service.update(language=Language.ZH_CN)
    assert make().get() == Settings(language=Language.ZH_CN, theme=ThemeChoice.DARK)
    assert heard == [SettingsChanged()]


async def test_comments_and_keys_of_a_newer_pitwall_stay(make, tmp_path):
    put(tmp_path, b'# mine\nbrand_new = "x"\ntheme = "dark"\n')
    await make().update(theme="light")
    text = (tmp_path / "c" / "settings.toml").read_text()
    assert "# mine" in text
    assert 'brand_new = "x"' in text
    assert 'theme = "light"' in text


def test_copy_of_unusable_values_is_made_once_not_at_every_start(make, tmp_path):
    put(tmp_path, b'theme = "purple"\n')
    for _ in range(3):
        assert [notice.code for notice in make().notices] == [ErrorCode.SETTINGS_BROKEN]
    assert len(aside(tmp_path)) == 1
    (tmp_path / "c" / "settings.toml").write_bytes(b'theme = "violet"\n')
    make()
    assert len(aside(tmp_path)) == 2


@pytest.mark.parametrize("text", [b"not toml", b"\xff\xfe"])
def test_file_that_cannot_be_read_is_moved_aside(make, tmp_path, text):
    put(tmp_path, text)
    service = make()
    assert service.get() == Settings()
    assert [notice.code for notice in service.notices] == [ErrorCode.SETTINGS_BROKEN]
    assert aside(tmp_path) == ["settings.toml.broken-2030-01-01T000000Z"]
    assert not (tmp_path / "c" / "settings.toml").exists()


def test_one_bad_value_costs_only_itself_and_is_kept_aside(make, tmp_path):
    put(tmp_path, b'language = "zh_CN"\ntheme = "pink"\ndemo_offered = 1\n')
    service = make()
    assert service.get() == Settings(language=Language.ZH_CN)
    assert "theme" in service.notices[0].cause
    assert aside(tmp_path)
    assert (tmp_path / "c" / "settings.toml").exists()


async def test_unknown_preference_is_a_mistake_of_the_caller(make):
    with pytest.raises(ValueError, match="colour"):
        await make().update(colour="red")
    with pytest.raises(ValueError, match="theme"):
        await make().update(theme="pink")


async def test_unwritable_place_is_said_and_the_change_holds(make, tmp_path):
    service = make()
    (tmp_path / "c").write_text("in the way")
    with pytest.raises(StoreError) as caught:
        await service.update(theme="dark")
    assert caught.value.code is ErrorCode.FILE_UNWRITABLE
    assert service.get().theme is ThemeChoice.DARK


def test_settings_that_are_a_folder_are_reported(make, tmp_path):
    (tmp_path / "c" / "settings.toml").mkdir(parents=True)
    assert [notice.code for notice in make().notices] == [ErrorCode.FILE_UNREADABLE]

import pytest
from fakes.planning_world import ROOT

from app.core.deployment.spec import Profile
from app.core.errors import DataFileError, ErrorCode, UserInputError
from app.services.profiles import ProfileService

PROFILE = Profile(name="mine", engine="vllm", engine_version="newest", model="ask")


@pytest.fixture
def service(tmp_path, fake_clock):
    return ProfileService(folder=tmp_path / "profiles", shipped=ROOT / "profiles", clock=fake_clock)


async def test_saved_profile_is_listed_before_the_shipped_ones_and_loaded_by_name(service):
    path = await service.save(PROFILE)
    entries = await service.list()
    assert (entries[0].name, entries[0].is_shipped) == ("mine", False)
    assert all(entry.is_shipped for entry in entries[1:])
    assert await service.load("mine") == PROFILE
    assert await service.load(path) == PROFILE
    assert await service.load(str(path)) == PROFILE


async def test_own_profile_hides_the_shipped_one_of_the_same_name(service):
    own = Profile(name="chat-one-gpu", engine="vllm", engine_version="0.33.0", model="ask")
    await service.save(own)
    entries = [entry for entry in await service.list() if entry.name == "chat-one-gpu"]
    assert [entry.is_shipped for entry in entries] == [False]
    assert (await service.load("chat-one-gpu")).engine_version == "0.33.0"


async def test_profile_is_saved_where_it_was_asked(service, tmp_path):
    path = await service.save(PROFILE, tmp_path / "elsewhere" / "p.toml")
    assert path == tmp_path / "elsewhere" / "p.toml"
    assert await service.load(path) == PROFILE


async def test_broken_profile_is_listed_with_its_error_and_stays(service, tmp_path):
    file = tmp_path / "profiles" / "odd.toml"
    file.parent.mkdir()
    file.write_text("name = ")
    entry = (await service.list())[0]
    assert entry.profile is None
    assert entry.error.code is ErrorCode.PROFILE_BROKEN
    with pytest.raises(DataFileError):
        await service.load("odd")
    assert file.read_text() == "name = "


async def test_misspelt_name_gets_a_suggestion(service):
    with pytest.raises(UserInputError) as caught:
        await service.load("chat-on-gpu")
    assert caught.value.code is ErrorCode.NOT_FOUND
    assert "Did you mean chat-one-gpu?" in caught.value.remedy


async def test_name_like_nothing_gets_the_list(tmp_path, fake_clock):
    empty = ProfileService(folder=tmp_path / "a", shipped=tmp_path / "b", clock=fake_clock)
    assert await empty.list() == ()
    with pytest.raises(UserInputError) as caught:
        await empty.load("x")
    assert caught.value.remedy == "Known profiles: none."


@pytest.mark.parametrize("name", ["", "a/b", "..\\x", ".hidden"])
async def test_name_that_cannot_be_a_file_is_refused(service, name):
    with pytest.raises(UserInputError):
        await service.save(Profile(name=name, engine="vllm", engine_version="newest", model="ask"))

from dataclasses import replace

import pytest
from fakes.planning_world import ROOT

from app.core.deployment.spec import Profile, ProfileFlag
from app.core.errors import DataFileError, ErrorCode, StoreError
from app.io.profiles import read_profile, write_profile

NOW = "2026-11-29T220500Z"
PROFILE = Profile(
    name="chat",
    title="Chat “on” one GPU",
    title_zh_CN="单卡聊天",
    engine="vllm",
    engine_version="0.33.0",
    image="vllm/vllm-openai:v0.33.0",
    model="ask",
    context_tokens=8192,
    gpu_count=1,
    gpu_memory_min_mib=40000,
    flags=(
        ProfileFlag(name="--max-model-len", value="8192", why="Fits.", why_zh_CN="够用。"),
        ProfileFlag(name="--enforce-eager"),
    ),
    environment={"A": "b"},
    shm_size_bytes=1024,
)


def test_profile_comes_back_as_it_was_written(tmp_path):
    file = write_profile(tmp_path / "new" / "chat.toml", PROFILE, now=NOW)
    assert read_profile(file) == PROFILE


def test_writing_again_keeps_comments_and_removes_what_is_gone(tmp_path):
    file = tmp_path / "chat.toml"
    write_profile(file, PROFILE, now=NOW)
    text = file.read_text().replace('name = "chat"', '# mine\nname = "chat"  # the name')
    file.write_text(text.replace('value = "8192"', 'value = "8192"  # measured'))
    changed = replace(
        PROFILE,
        image="",
        environment={},
        shm_size_bytes=None,
        flags=(replace(PROFILE.flags[0], value="4096", why=""),),
    )
    write_profile(file, changed, now=NOW)
    assert read_profile(file) == changed
    kept = file.read_text()
    assert "# mine" in kept
    assert "# the name" in kept
    assert "# measured" in kept
    assert "shm_size_bytes" not in kept


def test_all_flags_can_be_taken_out(tmp_path):
    file = write_profile(tmp_path / "chat.toml", PROFILE, now=NOW)
    write_profile(file, replace(PROFILE, flags=()), now=NOW)
    assert read_profile(file).flags == ()


def test_written_file_has_no_half_written_brother(tmp_path):
    write_profile(tmp_path / "chat.toml", PROFILE, now=NOW)
    assert [file.name for file in tmp_path.iterdir()] == ["chat.toml"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("name = ", ""),
        ('schema = "pitwall.profile/1"\n', "name"),
        ("PROFILE\nspeed = 1\n", "speed"),
        ('PROFILE\n[[flags]]\nname = "-x"\nvalu = "1"\n', "flags.0.valu"),
        ("PROFILE\nport = true\n", "port"),
        ('PROFILE\nenvironment = { A = 1 }\n', "environment.A"),
        ("PROFILE\nflags = 3\n", "flags"),
    ],
)  # fmt: skip
def test_broken_profile_names_the_key_and_stays_untouched(tmp_path, text, key):
    whole = 'schema = "pitwall.profile/1"\nname = "a"\nengine = "vllm"\n'
    whole += 'engine_version = "newest"\nmodel = "ask"\n'
    file = tmp_path / "a.toml"
    file.write_text(text.replace("PROFILE\n", whole))
    before = file.read_bytes()
    with pytest.raises(DataFileError) as caught:
        read_profile(file)
    assert caught.value.code is ErrorCode.PROFILE_BROKEN
    assert caught.value.params["key"] == key
    assert file.read_bytes() == before


def test_profile_of_another_schema_is_refused(tmp_path):
    file = write_profile(tmp_path / "a.toml", replace(PROFILE, schema="pitwall.profile/9"), now=NOW)
    with pytest.raises(DataFileError, match="profile/9"):
        read_profile(file)


def test_binary_file_is_broken_not_a_crash(tmp_path):
    file = tmp_path / "a.toml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataFileError):
        read_profile(file)


def test_missing_file_cannot_be_read(tmp_path):
    with pytest.raises(StoreError) as caught:
        read_profile(tmp_path / "a.toml")
    assert caught.value.code is ErrorCode.FILE_UNREADABLE


def test_saving_over_a_broken_file_keeps_it_aside(tmp_path):
    file = tmp_path / "chat.toml"
    file.write_text("name = ")
    write_profile(file, PROFILE, now=NOW)
    assert read_profile(file) == PROFILE
    assert (tmp_path / f"chat.toml.broken-{NOW}").read_text() == "name = "


def test_place_that_cannot_be_written_is_an_error(tmp_path):
    folder = tmp_path / "chat.toml"
    folder.mkdir()
    with pytest.raises(StoreError) as caught:
        write_profile(folder, PROFILE, now=NOW)
    assert caught.value.code is ErrorCode.FILE_UNWRITABLE
    assert [file.name for file in tmp_path.iterdir()] == ["chat.toml"]


def test_shipped_profiles_are_the_five_promised_and_readable():
    profiles = {file.stem: read_profile(file) for file in (ROOT / "profiles").glob("*.toml")}
    assert sorted(profiles) == [
        "burst-many-users",
        "chat-one-gpu",
        "long-context",
        "quick-look-cpu",
        "two-gpu-nvlink",
    ]
    for name, profile in profiles.items():
        assert profile.name == name
        assert profile.title_zh_CN
        assert profile.description_zh_CN
        assert all(flag.why and flag.why_zh_CN for flag in profile.flags)

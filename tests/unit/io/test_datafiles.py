"""Data files: shipped ones load, broken ones say all that is wrong, the user's add to them."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.core.errors import DataFileError, ErrorCode
from app.core.metrics.vocabulary import Metric
from app.io import datafiles
from app.io.data_overrides import OverrideKind, merge, overriding_files


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    id: str
    size: int
    ratio: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    schema_version: int
    title: str = ""
    entry: tuple[Entry, ...] = ()


@pytest.fixture
def root(tmp_path):
    (tmp_path / "resources" / "things").mkdir(parents=True)
    return tmp_path


def put(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_every_shipped_data_file_loads():
    root = datafiles.data_root()
    assert datafiles.load_engines(root)
    assert datafiles.load_gpu_catalogue(root).match("NVIDIA H200")
    assert datafiles.load_calibration(root)
    assert datafiles.load_rules(root)
    assert "nvidia_toolkit_missing" in datafiles.load_causes(root)
    assert set(datafiles.load_metric_vocabulary(root)) == set(Metric)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_shipped_themes_have_the_same_tokens(name):
    theme = datafiles.load_theme(name)
    assert theme.is_dark is (name == "dark")
    assert theme.colors.keys() == datafiles.load_theme("light").colors.keys()
    assert len(theme.series) == 8


def test_lists_become_tuples_and_whole_numbers_may_stand_for_fractions(root):
    put(
        root / "resources",
        "a.toml",
        'schema_version = 1\n[[entry]]\nid = "x"\nsize = 2\nratio = 3\n',
    )
    read = datafiles.read_data(Shape, root, "a.toml")
    assert read == Shape(schema_version=1, entry=(Entry(id="x", size=2, ratio=3.0),))


def test_all_mistakes_are_reported_at_once_with_their_keys(root):
    put(
        root / "resources",
        "a.toml",
        'schema_version = "1"\ntitel = "x"\n[[entry]]\nid = "x"\n[[entry]]\nid = 4\nsize = 1.5\n',
    )
    with pytest.raises(DataFileError) as caught:
        datafiles.read_data(Shape, root, "a.toml")
    assert caught.value.code is ErrorCode.DATA_FILE_BROKEN
    details = caught.value.details
    for key in ("schema_version", "titel", "entry.0.size", "entry.1.id", "entry.1.size"):
        assert f"a.toml: {key}: " in details
    assert caught.value.params["count"] == "5"


def test_mistakes_of_several_files_are_reported_together(root):
    put(root / "resources", "things/a.toml", "schema_version = true\n")
    put(root / "resources", "things/b.toml", "not toml at all\n")
    with pytest.raises(DataFileError) as caught:
        datafiles.read_folder(Shape, root, "things")
    assert "a.toml: schema_version" in caught.value.details
    assert "b.toml" in caught.value.details


def test_missing_file_is_named(root):
    with pytest.raises(DataFileError) as caught:
        datafiles.read_data(Shape, root, "gone.toml")
    assert caught.value.params["file"].endswith("gone.toml")


def test_users_entries_replace_those_of_the_same_id_and_add_others(root, tmp_path):
    own = tmp_path / "own"
    put(
        root / "resources",
        "a.toml",
        'schema_version = 1\ntitle = "ours"\n[[entry]]\nid = "x"\nsize = 1\n'
        '[[entry]]\nid = "y"\nsize = 2\n',
    )
    put(own, "a.toml", '[[entry]]\nid = "x"\nsize = 9\n[[entry]]\nid = "z"\nsize = 3\n')
    read = datafiles.read_data(Shape, root, "a.toml", own)
    assert {entry.id: entry.size for entry in read.entry} == {"x": 9, "y": 2, "z": 3}
    assert read.title == "ours"


def test_users_files_are_reported_as_such(root, tmp_path):
    own = tmp_path / "own"
    put(root / "resources", "things/a.toml", "schema_version = 1\n")
    put(own, "things/a.toml", 'title = "mine"\n')
    put(own, "things/b.toml", "schema_version = 1\n")
    found = {file.relative: file.kind for file in overriding_files(root, own)}
    assert found == {"things/a.toml": OverrideKind.CHANGES, "things/b.toml": OverrideKind.ADDS}
    assert set(datafiles.read_folder(Shape, root, "things", own)) == {"a", "b"}


def test_users_mistake_is_blamed_on_the_users_file(root, tmp_path):
    own = tmp_path / "own"
    put(root / "resources", "a.toml", "schema_version = 1\n")
    mine = put(own, "a.toml", "schema_version = 2.5\n")
    with pytest.raises(DataFileError) as caught:
        datafiles.read_data(Shape, root, "a.toml", own)
    assert caught.value.params["file"] == str(mine)


def test_engine_without_optional_files_is_empty_there(root):
    shutil.copytree(
        datafiles.data_root() / "resources" / "engines" / "deepspeed-mii",
        root / "resources" / "engines" / "deepspeed-mii",
    )
    for optional in (root / "resources" / "engines" / "deepspeed-mii").glob("[!e]*.toml"):
        optional.unlink()
    data = datafiles.load_engines(root)["deepspeed-mii"]
    assert data.flags.flag == ()
    assert data.startup.phase == ()


def test_one_engine_is_read_without_the_files_of_others(root):
    shutil.copytree(
        datafiles.data_root() / "resources" / "engines" / "tgi",
        root / "resources" / "engines" / "tgi",
    )
    put(root / "resources", "engines/broken/engine.toml", "= nonsense")
    assert datafiles.engine_ids(root) == ("broken", "tgi")
    assert datafiles.load_engine(root, "tgi").engine.id == "tgi"
    with pytest.raises(DataFileError):
        datafiles.load_engine(root, "broken")


def test_engine_in_a_folder_of_another_name_is_refused(root):
    shutil.copytree(
        datafiles.data_root() / "resources" / "engines" / "tgi",
        root / "resources" / "engines" / "other",
    )
    with pytest.raises(DataFileError, match="folder called “other”"):
        datafiles.load_engines(root)


def test_broken_engine_file_is_reported_with_every_other_one(root):
    put(root / "resources", "engines/a/engine.toml", "schema_version = 1\n")
    put(root / "resources", "engines/a/flags.toml", "flags = 1\n")
    with pytest.raises(DataFileError) as caught:
        datafiles.load_engines(root)
    assert "engine.toml" in caught.value.details
    assert "flags.toml: flags" in caught.value.details


def test_cause_that_appears_twice_is_refused(root):
    entry = '[[cause]]\nid = "a"\nfamily = "f"\nmeaning = { en = "x", zh_CN = "y" }\n'
    put(
        root / "resources",
        "causes.toml",
        'schema_version = 1\nsource = "s"\nchecked = "d"\n' + entry + entry,
    )
    with pytest.raises(DataFileError, match="appears twice"):
        datafiles.load_causes(root)


def test_metric_without_a_definition_is_missed(root):
    put(root / "resources", "metrics.toml", "schema_version = 1\nmetric = []\n")
    with pytest.raises(DataFileError) as caught:
        datafiles.load_metric_vocabulary(root)
    assert len(caught.value.details.splitlines()) == len(Metric)


def test_theme_value_that_is_no_colour_is_named(root):
    put(
        root / "resources",
        "themes/odd.toml",
        'schema_version = 1\nid = "odd"\nis_dark = false\nseries = ["#123456", "blue"]\n'
        '[colors]\nwindow = "#12345"\n[colors.status]\nok = "#00FF00"\n',
    )
    with pytest.raises(DataFileError) as caught:
        datafiles.load_theme("odd", root)
    assert "colors.window" in caught.value.details
    assert "series.1" in caught.value.details
    assert "status.ok" not in caught.value.details


def test_calibration_with_a_missing_file_is_refused(root):
    with pytest.raises(DataFileError) as caught:
        datafiles.load_calibration(root)
    assert "vllm.toml" in caught.value.details


def test_installed_package_finds_its_own_copy_of_the_data(monkeypatch, tmp_path):
    monkeypatch.setattr(datafiles, "_PACKAGE", tmp_path / "site" / "app")
    assert datafiles.data_root() == tmp_path / "site" / "app" / "_data"


def test_merge_keeps_tables_and_replaces_plain_lists():
    base = {"a": {"x": 1, "y": 2}, "list": [1, 2], "tables": [{"size": 1}]}
    over = {"a": {"y": 3}, "list": [9], "tables": [{"size": 2}]}
    assert merge(base, over) == {
        "a": {"x": 1, "y": 3},
        "list": [9],
        "tables": [{"size": 1}, {"size": 2}],
    }

"""Wrong words, strange names, broken files, no room, no display: said with cause and remedy."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(120)

NOT_UTF8 = b"bad\xffname"


@pytest.fixture
def pitwall(quick_pitwall):
    return quick_pitwall


# --- Wrong use


@pytest.mark.parametrize(
    "arguments",
    [
        ("estimate",),
        ("hosts", "add", "x"),
        ("hosts", "add", "x", "--demo", "--local"),
        ("hosts", "add", "x", "--ssh", "a b"),
        ("hosts", "add", "x", "--ssh", "root@h:0"),
        ("hosts", "add", "a/b", "--demo"),
        ("hosts", "add", "x" * 300, "--demo"),
        ("hosts", "add", NOT_UTF8, "--demo"),
        ("hosts", "test", "nobody"),
        ("logs", "no-slash"),
        ("watch", "demo", "--interval", "soon"),
        ("deploy", "no-such-profile", "--host", "demo"),
    ],
    ids=lambda arguments: " ".join(map(str, arguments))[:40],
)
def test_wrong_use_with_json_is_one_error_document_and_exit_code_2(pitwall, arguments):
    error = pitwall.error(*arguments, code=2)
    assert error["code"] in {"invalid_input", "not_found"}


def test_unknown_command_is_wrong_use_for_people_and_programs(pitwall):
    assert "Did you mean" in pitwall.run("deplyo", code=2).stderr
    assert pitwall.json("deplyo", code=2)["error"]["code"] == "invalid_input"


# --- Names


@pytest.mark.usefixtures("llama_image")
def test_chinese_names_and_paths_go_all_the_way(pitwall, ssh_host, model_on_host, deployment_name):
    pitwall.add(ssh_host, "机房-甲")
    folder = model_on_host.parent / "通义千问 模型"
    folder.mkdir(exist_ok=True)
    model = shutil.copy(model_on_host, folder / "七十亿 参数.gguf")
    profile = pitwall.home / "方案 一.toml"
    plan = pitwall.json("plan", "--host", "机房-甲", "--cpu", "--model", model, "--save", profile)
    assert plan["profile_file"] == str(profile)
    arguments = ("deploy", profile, "--host", "机房-甲", "--name", deployment_name)
    done = pitwall.lines(*arguments)[-1]
    assert done["deployment"]["state"] == "serving"
    assert done["deployment"]["model"] == "七十亿 参数"
    found = pitwall.json("ps", "机房-甲")["deployments"]
    assert "七十亿 参数" in [entry["model"] for entry in found]
    pitwall.run("stop", f"机房-甲/{deployment_name}", "--remove")


def test_terminal_that_knows_no_chinese_is_no_reason_to_fail(pitwall):
    pitwall.run("hosts", "add", "机房-甲", "--demo")
    latin = {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    for more, shown in (([], b"\\u673a\\u623f"), (["--json"], "机房".encode())):
        command = pitwall.argv("hosts", "list", *more)
        environment = pitwall.environment(**latin)
        done = subprocess.run(command, env=environment, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        assert shown in done.stdout


def test_bytes_that_are_no_text_are_read_where_they_may_come_and_refused_elsewhere(
    pitwall, tiny_model, tmp_path
):
    noise = bytes(range(256)) * 40
    assert pitwall.json("inspect", "-", stdin=noise)["kind"] == "unknown"
    file = os.fsencode(tmp_path) + b"/" + NOT_UTF8
    with open(file, "wb") as out:  # noqa: PTH123 - a Path cannot hold it
        out.write((tiny_model.folder / "config.json").read_bytes())
    assert pitwall.json("inspect", file)["kind"] == "model-config"
    vllm = ("--engine", "vllm", "--engine-version", "0.11.0", "--gpu", "NVIDIA H200")
    error = pitwall.error("estimate", "--config", "-", *vllm, stdin=noise)
    assert error["code"] == "model_config_broken"


# --- What Pitwall keeps


def test_corrupt_settings_are_kept_aside_reported_and_not_overwritten(pitwall):
    file = pitwall.home / "config" / "settings.toml"
    file.parent.mkdir(parents=True)
    file.write_text("theme = [broken")
    shown = pitwall.run("hosts", "list", "--json")
    assert json.loads(shown.stdout)["hosts"] == []
    assert "settings" in shown.stderr
    assert "What to do" in shown.stderr
    (kept,) = file.parent.glob("settings.toml.broken-*")
    assert kept.read_text() == "theme = [broken"
    assert not file.exists()
    assert not pitwall.run("hosts", "list").stderr


def test_corrupt_database_is_kept_aside_and_reported(pitwall):
    pitwall.run("hosts", "add", "demo", "--demo")
    file = pitwall.home / "data" / "pitwall.db"
    broken = file.read_bytes()[:9000]
    file.write_bytes(broken)
    shown = pitwall.run("hosts", "list", "--json")
    assert json.loads(shown.stdout)["hosts"] == []
    (kept,) = file.parent.glob("pitwall.db.broken-*")
    assert kept.read_bytes() == broken
    assert str(kept) in shown.stderr
    pitwall.run("hosts", "add", "demo", "--demo")


def test_host_whose_entry_is_broken_is_told_and_the_others_still_work(pitwall):
    for name in ("good", "bad"):
        pitwall.run("hosts", "add", name, "--demo")
    with contextlib.closing(sqlite3.connect(pitwall.home / "data" / "pitwall.db")) as db, db:
        db.execute("UPDATE hosts SET document = '{' WHERE name = 'bad'")
    shown = pitwall.run("hosts", "list", "--json")
    assert [host["name"] for host in json.loads(shown.stdout)["hosts"]] == ["good"]
    assert "bad" in shown.stderr
    error = pitwall.error("hosts", "add", "bad", "--demo", code=2)
    assert error["code"] == "name_taken"


def test_full_disk_is_said_and_loses_nothing(pitwall, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", disk]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("needs the right to mount a small disk")
    try:
        pitwall.home = disk / "home"
        pitwall.run("hosts", "add", "one", "--demo")
        with contextlib.suppress(OSError), (disk / "junk").open("wb", buffering=0) as junk:
            while True:
                junk.write(bytes(4096))
        assert pitwall.error("hosts", "add", "two", "--demo")["code"] == "store_full"
        assert pitwall.error("hosts", "list")["code"] == "store_full"
        (disk / "junk").unlink()
        assert [host["name"] for host in pitwall.json("hosts", "list")["hosts"]] == ["one"]
        assert not list((disk / "home" / "data").glob("*.broken-*"))
    finally:
        subprocess.run(["umount", disk], check=True)


@pytest.mark.parametrize("home", ["/proc/nowhere", "/etc/passwd"])
def test_home_that_cannot_be_made_is_said(pitwall, home):
    error = pitwall.error("hosts", "list", PITWALL_HOME=home)
    assert error["code"] == "file_unwritable"
    assert "PITWALL_HOME" in error["remedy"]


@pytest.mark.parametrize(
    ("target", "code"), [("/proc/x.json", "file_unwritable"), ("/dev/full", "store_full")]
)
def test_save_path_that_cannot_be_written_is_said(pitwall, target, code):
    pitwall.run("hosts", "add", "demo", "--demo")
    error = pitwall.error("fingerprint", "demo", "--save", target)
    assert error["code"] == code
    assert target in error["cause"]


# --- Where it is printed


def test_reader_that_goes_away_is_no_error(pitwall):
    with pitwall.started("hosts", "list") as process:
        process.stdout.close()
        said = process.stderr.read()
        process.wait(20)
    assert (process.returncode, said) == (0, "")


def test_output_that_finds_no_room_is_an_error_on_stderr(pitwall):
    with (
        Path("/dev/full").open("wb") as full,
        pitwall.started("hosts", "list", "--json", stdout=full) as process,
    ):
        said = process.stderr.read()
        process.wait(20)
    assert process.returncode == 1
    assert "No space left" in said
    assert "Traceback" not in said


def test_without_any_stream_commands_work_all_the_same(pitwall):
    script = 'exec "$@" <&- >&- 2>&-'
    for arguments in (("hosts", "add", "demo", "--demo"), ("hosts", "test", "demo")):
        command = ["sh", "-c", script, "sh", *pitwall.argv(*arguments)]
        assert subprocess.run(command, env=pitwall.environment(), check=False).returncode == 0


@pytest.mark.parametrize("display", [None, ":77"])
def test_without_a_display_the_window_is_an_error_not_an_abort(pitwall, display):
    none = {"DISPLAY": display, "QT_QPA_PLATFORM": None, "WAYLAND_DISPLAY": None}
    said = pitwall.run(code=1, **none).stderr
    assert "There is no display" in said
    assert "pitwall tour DIR" in said


# --- Two at once


def test_pitwalls_that_start_at_once_share_a_new_home(pitwall):
    def add(name):
        return subprocess.run(
            pitwall.argv("hosts", "add", name, "--demo", "--json"),
            env=pitwall.environment(),
            capture_output=True,
            text=True,
            check=False,
        )

    names = ["a", "b", "c", "same", "same"]
    with ThreadPoolExecutor(len(names)) as pool:
        ends = list(pool.map(add, names))
    assert sorted(end.returncode for end in ends) == [0, 0, 0, 0, 2], ends
    (refused,) = [json.loads(end.stdout) for end in ends if end.returncode]
    assert refused["error"]["code"] == "name_taken"
    found = sorted(host["name"] for host in pitwall.json("hosts", "list")["hosts"])
    assert found == ["a", "b", "c", "same"]

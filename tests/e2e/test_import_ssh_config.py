"""Hosts of an SSH configuration, and remembered secrets, on the command line."""

import pytest

CONFIG = """
Host rack-1 rack-2
    HostName %h.lab.example
    User ops
    Port 2222
Host far
    ProxyJump jump.example
Host *
    ServerAliveInterval 20
"""


@pytest.fixture
def config(tmp_path):
    file = tmp_path / "机房 config"
    file.write_text(CONFIG, encoding="utf-8")
    return file


def test_a_dry_run_shows_and_changes_nothing(pitwall, config):
    shown = pitwall.json("hosts", "import-ssh-config", "--dry-run", config)
    assert [entry["alias"] for entry in shown["entries"]] == ["rack-1", "rack-2", "far"]
    first, _, far = shown["entries"]
    assert (first["host"], first["port"], first["user"]) == ("rack-1.lab.example", 2222, "ops")
    assert (far["proxy"], far["can_connect"]) == ("jump.example", False)
    assert pitwall.json("hosts", "list")["hosts"] == []
    text = pitwall.run("hosts", "import-ssh-config", config, "--dry-run").stdout
    assert "ops@rack-1.lab.example:2222" in text
    assert "2 would be added" in text


def test_what_can_be_reached_is_added_once(pitwall, config):
    added = pitwall.json("hosts", "import-ssh-config", config, "--group", "rack")
    assert [host["name"] for host in added["hosts"]] == ["rack-1", "rack-2"]
    assert pitwall.json("hosts", "import-ssh-config", config)["hosts"] == []
    assert pitwall.json("hosts", "import-ssh-config", config, "--only", "far")["hosts"]
    listed = pitwall.run("hosts", "list", "--group", "RACK").stdout
    assert "GROUP" in listed
    assert "far" not in listed
    error = pitwall.error("hosts", "import-ssh-config", config, "--only", "nobody", code=2)
    assert error["code"] == "not_found"
    assert "rack-1" in error["remedy"]


def test_a_missing_file_is_told(pitwall, tmp_path):
    error = pitwall.error("hosts", "import-ssh-config", tmp_path / "none")
    assert error["code"] == "file_unreadable"


def test_without_a_keyring_remembering_says_so(pitwall):
    pitwall.run("hosts", "add", "demo", "--demo", "--group", "Try")
    no_bus = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"}
    error = pitwall.error("hosts", "test", "demo", "--remember", **no_bus)
    assert error["code"] == "keyring_unusable"
    assert "memory" in error["remedy"]
    (host,) = pitwall.json("hosts", "forget-secrets", "demo")["hosts"]
    assert (host["group"], host["keeps_secrets"]) == ("Try", False)

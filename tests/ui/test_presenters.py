"""Pure functions that decide what is shown."""

from dataclasses import replace
from pathlib import Path

import pytest
import ui_fakes
from PySide6.QtGui import QTextDocument

from app.core.errors import ErrorCode, ErrorInfo
from app.core.events import (
    ActivityChanged,
    AuthMethod,
    DeploymentSnapshot,
    DeploymentState,
    HostKind,
    HostSettings,
    HostSnapshot,
    HostState,
)
from app.core.hardware.fingerprint import Link, LinkKind
from app.core.ids import HostId
from app.io.datafiles import data_root, load_causes
from app.ui.viewmodels.fingerprint import present_fingerprint
from app.ui.viewmodels.fingerprint_facts import link_text, mib_text
from app.ui.viewmodels.help import help_pages
from app.ui.viewmodels.host_texts import (
    address_text,
    ago_text,
    latency_text,
    local_time_text,
    present_state,
    seen_text,
)
from app.ui.viewmodels.hosts import (
    HostForm,
    field_errors,
    form_of,
    settings_of,
)
from app.ui.viewmodels.hosts_rows import present_host_row
from app.ui.viewmodels.shell import present_activity, present_host_bar

NOW = 1_782_892_800.0  # 2026-07-01T08:00:00Z


def host(**changes) -> HostSnapshot:
    settings = HostSettings(id=HostId("1"), name="a", kind=HostKind.SSH, address="10.0.0.1")
    base = HostSnapshot(revision=1, settings=settings, state=HostState.CONNECTED)
    return replace(base, **changes)


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (None, "never"),
        ("2026-07-01T07:59:30Z", "just now"),
        ("2026-07-01T07:57:00Z", "3 min ago"),
        ("2026-07-01T05:00:00Z", "3 h ago"),
        ("2026-06-01T12:00:00Z", "2026-06-01"),
        ("not a time", "not a time"),
    ],
)
def test_times_are_relative_while_they_are_near(at, text) -> None:
    assert ago_text(at, NOW) == text


def test_absolute_times_are_local_and_unreadable_ones_stay() -> None:
    assert local_time_text("2026-07-01T08:00:00Z").startswith("2026-07-01 ")
    assert local_time_text("2026-07-01T08:00:00").startswith("2026-07-01 ")
    assert local_time_text("?") == "?"
    assert local_time_text(None) == ""


@pytest.mark.parametrize(("latency", "text"), [(None, ""), (0.0004, "0.4 ms"), (0.0312, "31 ms")])
def test_latency_has_its_unit(latency, text) -> None:
    assert latency_text(latency) == text


def test_addresses_leave_out_what_goes_without_saying() -> None:
    plain = host()
    full = host(settings=replace(plain.settings, user="ops", port=2222))
    local = host(settings=replace(plain.settings, kind=HostKind.LOCAL))

    assert address_text(plain) == "10.0.0.1"
    assert address_text(full) == "ops@10.0.0.1:2222"
    assert address_text(local) == "This computer"


@pytest.mark.parametrize("state", list(HostState))
def test_each_state_has_icon_word_and_status(state) -> None:
    view = present_state(host(state=state))

    assert view.icon
    assert view.word
    assert view.status in {"ok", "warn", "error", "unknown", "accent"}


def test_the_host_bar_offers_what_fits_the_state() -> None:
    connected = present_host_bar(host(latency_s=0.003))
    busy = present_host_bar(host(is_busy=True))
    lost = present_host_bar(host(state=HostState.LOST))

    assert connected.state.word == "Connected · 3.0 ms"
    assert connected.can_fingerprint
    assert not connected.can_connect
    assert not busy.can_fingerprint
    assert lost.can_connect
    assert lost.can_disconnect
    assert present_host_bar(None).state.word == ""


def test_the_host_bar_names_a_host_without_gpu() -> None:
    summary = replace(
        ui_fakes.summary_of(ui_fakes.recorded_fingerprint()), gpu_text="", driver_version=None
    )

    assert present_host_bar(host(summary=summary)).note == "No GPU found"


def test_activities_of_unknown_kind_still_read_well() -> None:
    view = present_activity(ActivityChanged(id="1", title_code="new", subject="a", progress=1.0))

    assert view.text == "Working on a"


def test_a_row_without_fingerprint_shows_nothing_made_up() -> None:
    row = present_host_row(host(state=HostState.DISCONNECTED), now_s=NOW, deployments=())

    assert row.texts[4:8] == ("", "", "–", "–")
    assert row.memory.fraction is None


def test_memory_in_use_that_is_unknown_is_not_zero() -> None:
    summary = replace(ui_fakes.summary_of(ui_fakes.recorded_fingerprint()), memory_used_mib=None)

    one = DeploymentSnapshot(
        revision=1, host_id=HostId("h"), host_name="h", name="chat", state=DeploymentState.SERVING
    )

    row = present_host_row(host(summary=summary), now_s=NOW, deployments=(one, one))

    assert row.memory.text == "– / 281"
    assert row.memory.fraction is None
    assert row.texts[7] == "2"


def test_form_and_settings_are_each_others_inverse() -> None:
    settings = ui_fakes.ssh_settings(
        auth=AuthMethod.KEY, key_file="/k", docker_socket="/d", model_folder="/m", notes="n"
    )

    assert settings_of(form_of(settings), settings) == settings


def test_a_host_without_a_name_is_called_by_its_address() -> None:
    assert settings_of(HostForm(address=" gpu01 ")).name == "gpu01"


def test_only_errors_of_fields_go_to_fields() -> None:
    both = ErrorInfo(
        code=ErrorCode.INVALID_INPUT,
        params={"field": "name,port,other"},
        cause="",
        remedy="",
    )
    taken = ErrorInfo(code=ErrorCode.NAME_TAKEN, cause="", remedy="")
    other = ErrorInfo(code=ErrorCode.STORE_FULL, cause="", remedy="")

    assert set(field_errors(both)) == {"name", "port"}
    assert set(field_errors(taken)) == {"name"}
    assert field_errors(other) == {}


def test_every_fact_has_a_source_or_a_reason() -> None:
    view = present_fingerprint(ui_fakes.recorded_fingerprint())

    groups = [group for group in view.groups if group.id != "warnings"]
    facts = [fact for group in groups for fact in group.facts]

    assert len(facts) > 60
    assert all(fact.reason for fact in facts if fact.value is None)
    assert all(fact.source for fact in facts if fact.value is not None)


def test_links_read_as_nvidia_smi_writes_them() -> None:
    nvlink = Link(a="GPU0", b="GPU1", kind=LinkKind.NVLINK, nvlink_count=18)

    assert link_text(nvlink) == "NV18"
    assert link_text(replace(nvlink, bandwidth_gbps=956.2)) == "NV18 · 956 GB/s"
    assert link_text(Link(a="GPU0", b="NIC0", kind=LinkKind.PIX)) == "PIX"


def test_small_sizes_stay_in_mib() -> None:
    assert mib_text(616) == "616\u00a0MiB"
    assert mib_text(None) is None


@pytest.mark.parametrize(
    "file",
    sorted((data_root() / "resources/help").rglob("*.md")),
    ids=lambda file: file.parent.name + file.stem,
)
def test_no_sign_of_markdown_is_left_in_a_help_text(file: Path) -> None:
    document = QTextDocument()
    document.setMarkdown(file.read_text(encoding="utf-8"))
    assert "*" not in document.toPlainText()  # as where a stress ends between Chinese signs


def test_help_without_a_heading_is_named_by_its_file() -> None:
    assert help_pages({"en": {"x": ""}}, "zh_CN")[0].title == "x"
    assert help_pages({}, "en") == ()


def test_a_question_that_waits_is_no_failure() -> None:
    def failed(code: ErrorCode) -> HostSnapshot:
        error = ErrorInfo(code=code, cause="why", remedy="what")
        return host(state=HostState.FAILED, error=error)

    assert present_state(failed(ErrorCode.HOST_KEY_UNKNOWN)).word == "Key not accepted yet"
    assert present_state(failed(ErrorCode.PASSWORD_NEEDED)).word == "Password needed"
    assert present_state(failed(ErrorCode.HOST_KEY_UNKNOWN)).status == "warn"
    assert present_state(failed(ErrorCode.HOST_UNREACHABLE)).status == "error"


def test_a_connected_host_is_seen_now() -> None:
    old = "2026-07-01T05:00:00Z"

    assert seen_text(host(last_seen_at=old), NOW) == "now"
    assert seen_text(host(state=HostState.LOST, last_seen_at=old), NOW) == "3 h ago"


@pytest.mark.parametrize(
    ("typed", "user", "address", "port"),
    [
        ("ops@gpu01:2222", "ops", "gpu01", 2222),
        ("gpu01", "", "gpu01", 22),
        ("[fe80::1]:2200", "", "fe80::1", 2200),
        ("fe80::1", "", "fe80::1", 22),
    ],
)
def test_an_address_may_carry_user_and_port(typed, user, address, port) -> None:
    settings = settings_of(HostForm(name="a", address=typed))

    assert (settings.user, settings.address, settings.port) == (user, address, port)
    assert settings_of(HostForm(address=typed)).name == address


def test_findings_say_what_to_do() -> None:
    found = replace(
        ui_fakes.recorded_fingerprint(),
        warnings=("driver_library_mismatch: Failed to initialize NVML", "unheard_of: as it is"),
    )

    facts = present_fingerprint(found, load_causes(data_root())).groups[0].facts

    assert facts[0].value is not None
    assert facts[0].value.startswith("The driver's libraries")
    assert "Reboot" in facts[0].value
    assert facts[1].value == "as it is"

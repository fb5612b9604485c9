"""The runner: unmet requirements, remedies by outcome, order and counts; nothing raises."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.checks.run import run_checks
from app.core.checks.spec import SEVERITY, CheckState
from app.core.checks.verdict import (
    failed,
    not_applicable,
    of_gpu,
    passed,
    unknown,
    warned,
    worst_of,
)
from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.fingerprint import Fingerprint, HostSource, UnknownReason
from app.core.hardware.sections import RawSection

NAMES = (
    "smi-csv", "smi-q-x", "smi-L", "smi-topo-m", "smi-topo-p2p-r", "smi-nvlink-s", "smi-nvlink-e",
    "smi-apps", "smi-cc", "smi-time", "docker-version", "docker-info", "nvctk", "cdi-spec",
    "sockets", "services", "time", "listening", "modinfo", "dkms", "secure-boot", "libc",
    "block-devices", "cgroup", "mps", "lspci-vv", "dmesg", "journal", "login", "uname", "id",
    "meminfo", "lscpu-J", "numa-sysfs", "pci-sysfs", "driver-version", "modules", "kernels", "dev",
    "cmdline", "sysctl", "files", "model", "cpufreq", "iommu", "routes", "proxy", "which", "clock",
    "virt", "df", "ulimit", "fabric-manager",
)  # fmt: skip


def result_of(report, check_id):
    return next(result for result in report.results if result.id == check_id)


def test_results_come_in_the_order_of_the_list_and_are_counted(make_host, check, checklist):
    report = check(make_host())

    assert [r.id for r in report.results] == [entry.id for entry in checklist.checks]
    assert sum(report.counts.values()) == 90
    assert set(report.counts) == set(CheckState)


def test_the_worst_stand_on_top_and_keep_their_order(make_host, check):
    report = check(make_host(replace=[["smi-q-x", "<display_active>Dis", "<display_active>En"]]))

    ranks = [SEVERITY[result.state] for result in report.worst_first()]
    assert ranks == sorted(ranks)
    assert report.worst_first()[0].id == "display-attached"


def test_only_the_remedies_of_the_outcome_are_given(make_host, check):
    broken = {"docker-version": "", "docker-info": ""}
    host = make_host(
        broken,
        codes=dict.fromkeys(broken, 1),
        errors={"docker-version": "Cannot connect to the Docker daemon"},
    )

    remedy = result_of(check(host), "docker-daemon").remedy

    assert remedy[0].command == "systemctl enable --now docker"
    assert result_of(check(make_host()), "docker-daemon").remedy == ()


def test_a_host_without_gpus_is_asked_for_none(make_host, check):
    host = make_host(
        {"pci-sysfs": "/sys/bus/pci/devices/0000:00:02.0 class=0x030000 vendor=0x1234 dev=0x1\n"},
        missing=["smi-csv", "smi-q-x", "smi-L", "smi-apps", "smi-nvlink-s", "smi-nvlink-e"],
        codes={"smi-csv": 127},
    )

    report = check(host)

    for name in ("driver-loaded", "xid", "pcie-gen", "nvlink-links", "nvidia-runtime"):
        assert result_of(report, name).reason == "no_gpu", name
    assert result_of(report, "docker-daemon").state is CheckState.PASS


def test_wsl_and_jetson_are_spared_what_only_a_linux_driver_has(make_host, check):
    wsl = make_host(
        replace=[["uname", "6.8.0-60-generic", "6.6.87-microsoft-standard-WSL2"]],
        missing=["driver-version", "modules", "dev"],
    )
    jetson = make_host({"model": "NVIDIA Jetson AGX Orin\n"}, missing=["driver-version", "dev"])

    for host, reason in ((wsl, "wsl"), (jetson, "jetson")):
        report = check(host)
        for name in ("device-nodes", "pcie-gen", "module-flavour", "fabric-manager"):
            assert result_of(report, name).reason == reason
        assert result_of(report, "driver-loaded").state is CheckState.PASS


def test_an_engine_out_of_reach_leaves_its_checks_unknown(make_host, check):
    host = make_host(
        {"docker-version": "", "docker-info": ""}, codes={"docker-version": 1, "docker-info": 1}
    )

    report = check(host)

    assert result_of(report, "disk-images").reason == "engine_unreachable"
    assert result_of(report, "cgroup-v2").state is CheckState.UNKNOWN


def test_a_check_without_a_judge_is_unknown(make_host, checklist, catalogue):
    strange = replace(checklist.checks[0], id="from-a-newer-file", requires=())
    data = replace(checklist, checks=(strange,))

    (result,) = run_checks(make_host(), data=data, catalogue=catalogue).results

    assert (result.state, result.reason) == (CheckState.UNKNOWN, "no_judge")


@pytest.mark.parametrize(
    ("verdicts", "state", "gpus"),
    [
        ([passed("a"), failed("b")], CheckState.FAIL, "GPU1"),
        ([warned("a"), warned("b")], CheckState.WARN, "GPU0, GPU1"),
        ([passed("a"), unknown("idle")], CheckState.UNKNOWN, "GPU1"),
        ([passed("a"), not_applicable("geforce")], CheckState.PASS, "GPU0"),
        ([], CheckState.NOT_APPLICABLE, None),
    ],
)
def test_the_worst_gpu_speaks_for_all(verdicts, state, gpus):
    verdict = worst_of(of_gpu(index, v) for index, v in enumerate(verdicts))

    assert verdict.state is state
    assert verdict.values.get("gpus") == gpus


TEXTS = st.one_of(
    st.text(max_size=80),
    st.sampled_from(
        [
            "", "N/A", "[GPU is lost]", "infinity", "max 100000", "0", "-1", "99999999999999999999",
            "path= locale=", "== /etc/cdi/x\nkind: nvidia.com/gpu\n", "LISTEN 0 1 *:8000 *:*",
            "NVRM: Xid (PCI:0000:01:00): 79, x", "Id=docker.service\nActiveState=active",
            "index, name\n0, x\n1, y\n", "<nvidia_smi_log><gpu id='1'></gpu></nvidia_smi_log>",
            '{"ServerVersion":"1"}', "GPU0\tX\tNV4\nGPU1\tNV4\tX\n", "no such file or directory",
        ]
    ),
)  # fmt: skip


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    answers=st.dictionaries(
        st.sampled_from(NAMES),
        st.tuples(TEXTS, st.one_of(st.none(), st.sampled_from([0, 1, 6, 9, 124, 127, 255]))),
        max_size=20,
    )
)
def test_no_fingerprint_makes_a_judge_raise(answers, checklist, catalogue):
    sections = [
        RawSection(name=name, command=name, exit_code=code, stdout=text)
        for name, (text, code) in answers.items()
    ]
    fingerprint = assemble_fingerprint(
        sections, source=HostSource.SSH, taken_at="2026-11-29T08:00:00Z", catalogue=catalogue
    )

    report = run_checks(fingerprint, data=checklist, catalogue=catalogue)

    assert len(report.results) == 90
    for result in report.results:
        assert isinstance(result.state, CheckState)
        # A place that was not filled; what a tool said may hold a brace of its own.
        assert not re.search(r"\{[a-z_]+\}", result.said.en.replace("{name}", ""))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    name=st.sampled_from(NAMES),
    cut=st.integers(0, 4000),
    garbage=st.text(max_size=30),
)
def test_a_cut_or_spoiled_answer_makes_a_judge_raise_neither(name, cut, garbage, make_host, check):
    file = Path(__file__).parent / "host" / f"{name}.txt"
    text = file.read_text() if file.is_file() else ""

    report = check(make_host({name: text[:cut] + garbage}))

    assert len(report.results) == 90


def test_a_what_if_machine_is_unknown_where_nobody_looked(checklist, catalogue):
    fingerprint = Fingerprint(
        source=HostSource.CATALOGUE,
        taken_at="2026-11-29T08:00:00Z",
        parser_version="1",
        unknown={"gpus": UnknownReason.NOT_ASKED},
    )

    report = run_checks(fingerprint, data=checklist, catalogue=catalogue)

    assert report.counts[CheckState.PASS] == 0
    assert report.counts[CheckState.FAIL] == 0


def test_an_engine_that_refuses_the_account_is_not_taken_for_one_that_is_down(make_host, check):
    refused = {"docker-version": "", "docker-info": "", "sockets": "/run/docker.sock usable=no\n"}
    said = "permission denied while trying to connect to the Docker daemon socket " + "x" * 300
    report = check(
        make_host(
            refused,
            codes=dict.fromkeys(("docker-version", "docker-info"), 1),
            errors={"docker-version": said, "docker-info": said},
        )
    )

    daemon = result_of(report, "docker-daemon")
    assert daemon.state is CheckState.UNKNOWN
    assert daemon.remedy == ()
    assert daemon.evidence[0].endswith("…")
    assert "usermod" in result_of(report, "docker-group").remedy[0].command


@pytest.mark.parametrize(
    "words",
    ["No devices were found", "Unable to determine the device handle for GPU0: Unknown Error"],
)
def test_a_gpu_that_does_not_answer_is_no_driver_to_be_loaded(make_host, check, words):
    names = ("smi-csv", "smi-csv-basic", "smi-q-x", "smi-L", "smi")
    host = make_host(dict.fromkeys(names, words), codes=dict.fromkeys(names, 6), only=True)

    driver = result_of(check(host), "driver-loaded")

    assert driver.state is CheckState.PASS
    assert words in driver.said.en


@pytest.mark.parametrize(("now", "expected"), [(1095, CheckState.PASS), (900, CheckState.WARN)])
def test_application_clocks_as_delivered_are_no_lock(make_host, check, now, expected):
    text = _section(make_host(), "smi-q-x").stdout
    clocks = "<graphics_clock>{} MHz</graphics_clock>"
    delivered = "<default_applications_clocks>{}</default_applications_clocks>"
    text = text.replace(clocks.format(1980), clocks.format(now))
    end = "</applications_clocks>"
    text = text.replace(end, end + delivered.format(clocks.format(1095)))

    assert result_of(check(make_host({"smi-q-x": text})), "clocks").state is expected


def _section(host, name):
    return next(section for section in host.sections if section.name == name)


def test_a_paste_of_one_gpu_among_others_is_not_a_host_with_one(make_host, check):
    paste = (
        "GPU 3: NVIDIA A100-SXM4-40GB (UUID: GPU-0)\n\t Link 0: 25 GB/s\n\t Link 1: <inactive>\n"
    )
    host = make_host({"smi-nvlink-s": paste}, only=True)

    result = result_of(check(host), "nvlink-links")

    assert result.state in {CheckState.WARN, CheckState.FAIL}


def test_words_that_are_no_answer_of_the_driver_pass_nothing(make_host, check):
    names = ("smi-csv", "smi-csv-basic", "smi-q-x", "smi-L", "smi")
    said = dict.fromkeys(names, "\x00\x7f garbage") | {"smi-time": "seconds=0\n"}
    report = check(make_host(said, only=True))
    for name in ("gpu-lost", "smi-latency", "driver-loaded"):
        assert result_of(report, name).state is CheckState.UNKNOWN


def test_a_driver_of_two_versions_is_not_to_be_loaded(make_host, check):
    names = ("smi-csv", "smi-csv-basic", "smi-q-x", "smi-L", "smi")
    words = "Failed to initialize NVML: Driver/library version mismatch"
    host = make_host(dict.fromkeys(names, words), codes=dict.fromkeys(names, 18), only=True)
    driver = result_of(check(host), "driver-loaded")
    assert driver.state is CheckState.FAIL
    assert not any("modprobe" in step.command for step in driver.remedy)

"""Smoke runs: what was printed, beside what is claimed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.checks.spec import CheckContext
from app.core.hardware.fingerprint import (
    Fingerprint,
    Gpu,
    HostSource,
    Link,
    LinkKind,
    Topology,
)
from app.core.smoke.checked import with_smoke
from app.core.smoke.judge import SmokeFrame, judge_smoke
from app.core.smoke.read import MARK, SmokeReading
from app.core.smoke.report import FigureState, SmokeVerdict
from app.core.smoke.spec import SmokeKind
from app.io.datafiles import data_root, load_gpu_catalogue, load_smoke

UUIDS = ("GPU-aaaa", "GPU-bbbb")
FRAME = SmokeFrame(
    host_name="rack-1",
    taken_at="2026-11-30T09:00:00Z",
    engine="vllm",
    image="vllm/vllm-openai:v0.26.0",
    kind=SmokeKind.TORCH,
    command="docker run …",
    gpu_uuids=UUIDS,
    duration_s=30.0,
)
HOST = Fingerprint(
    source=HostSource.RECORDED,
    taken_at="2026-11-30T08:00:00Z",
    parser_version="test",
    gpus=tuple(
        Gpu(
            index=index,
            name="NVIDIA H200",
            uuid=uuid,
            bus_id=f"00000000:0{index + 6}:00.0",
            pcie_gen_max=5,
            pcie_width_current=16,
            catalogue_id="h200-sxm",
        )
        for index, uuid in enumerate(UUIDS)
    ),
    topology=Topology(
        links=(
            Link(a="GPU0", b="GPU1", kind=LinkKind.NVLINK, nvlink_count=18, bandwidth_gbps=956.0),
        )
    ),
)


@pytest.fixture(scope="module")
def data():
    return load_smoke(data_root())


@pytest.fixture(scope="module")
def catalogue():
    return load_gpu_catalogue(data_root())


def said(step: str, **values: object) -> str:
    return MARK + json.dumps({"step": step, **values})


def device(index: int, **values: object) -> str:
    facts = {"name": "NVIDIA H200", "uuid": UUIDS[index][4:], "computes": True, **values}
    return said("device", gpu=index, total_bytes=150_000_000_000, **facts)


GOOD = (
    "some banner of the image",
    said("runtime", torch="2.11.0", cuda="13.0"),
    said("cuda", devices=2),
    device(0),
    device(1),
    said("device_memory", gpus=[0], gbps=4300.0),
    said("host_to_device", gpus=[0], gbps=55.0),
    said("gpu_to_gpu", gpus=[0, 1], gbps=390.0, direct=True),
    said("all_reduce", gpus=[0, 1], gbps=340.0),
    said("disk_read", gbps=2.5),
    said("done"),
)


def judged(lines, data, catalogue, *, host=HOST, frame=FRAME, trouble=()):
    reading = SmokeReading()
    for line in lines:
        reading.feed(line)
    return judge_smoke(
        reading, frame, data=data, fingerprint=host, catalogue=catalogue, trouble=trouble
    )


def test_each_figure_stands_beside_its_claim(data, catalogue) -> None:
    report = judged(GOOD, data, catalogue)

    assert report.verdict is SmokeVerdict.WORKS
    assert (report.torch, report.cuda) == ("2.11.0", "13.0")
    assert [(d.index, d.gpu) for d in report.devices] == [(0, 0), (1, 1)]
    memory, host, peer, reduce, disk = report.figures
    assert memory.claim.gbps == 4800
    assert memory.share == pytest.approx(4300 / 4800)
    assert host.claim.gbps == pytest.approx(63.0, abs=0.1)
    assert peer.claim.gbps == reduce.claim.gbps == 478
    assert disk.claim is None
    assert disk.state is FigureState.NO_CLAIM


def test_a_slow_link_is_low(data, catalogue) -> None:
    lines = [line.replace("55.0", "24.0") for line in GOOD]
    report = judged(lines, data, catalogue)

    assert report.verdict is SmokeVerdict.LOW
    assert report.figures[1].state is FigureState.LOW


def test_cuda_that_refuses_fails_with_its_own_words(data, catalogue) -> None:
    error = "RuntimeError: CUDA error 803: system has unsupported display driver / cuda driver"
    lines = [GOOD[1], said("cuda", error=error), said("done")]
    report = judged(lines, data, catalogue)

    assert report.verdict is SmokeVerdict.FAILS
    assert report.errors == (error,)


def test_a_gpu_that_is_missing_or_computes_wrongly_fails(data, catalogue) -> None:
    missing = [line for line in GOOD if '"gpu": 1' not in line]
    wrong = [device(1, computes=False) if line == device(1) else line for line in GOOD]

    assert judged(missing, data, catalogue).verdict is SmokeVerdict.FAILS
    assert judged(wrong, data, catalogue).verdict is SmokeVerdict.FAILS


def test_an_image_without_torch_says_nothing_about_cuda(data, catalogue) -> None:
    lines = [said("runtime", error="ModuleNotFoundError: No module named 'torch'"), said("done")]
    report = judged(lines, data, catalogue)

    assert report.verdict is SmokeVerdict.UNKNOWN
    assert "torch" in report.errors[0]


def test_a_run_that_was_cut_is_not_known(data, catalogue) -> None:
    report = judged(GOOD[:-1], data, catalogue, trouble=("exit code 137",))

    assert report.verdict is SmokeVerdict.UNKNOWN
    assert not report.complete
    assert report.errors == ("exit code 137",)


def test_without_gpus_nothing_is_judged(data, catalogue) -> None:
    frame = replace(FRAME, gpu_uuids=())
    lines = [GOOD[1], said("cuda", error="AssertionError: not compiled with CUDA"), said("done")]

    assert judged(lines, data, catalogue, frame=frame).verdict is SmokeVerdict.NO_GPU


def test_a_failed_measurement_is_low_and_tells_why(data, catalogue) -> None:
    lines = [*GOOD[:-1], said("gpu_to_gpu", gpus=[0, 1], error="CUDA out of memory"), GOOD[-1]]
    report = judged(lines, data, catalogue)

    assert report.figures[-1].state is FigureState.FAILED
    assert report.verdict is SmokeVerdict.LOW


def test_listed_devices_are_read(data, catalogue) -> None:
    frame = replace(FRAME, kind=SmokeKind.LIST_DEVICES, engine="llamacpp")
    lines = [
        "Available devices:",
        "  CUDA0: NVIDIA H200 (143155 MiB, 142600 MiB free)",
        "  CUDA1: NVIDIA H200 (143155 MiB, 142600 MiB free)",
    ]
    report = judged(lines, data, catalogue, frame=frame)

    assert report.verdict is SmokeVerdict.WORKS
    assert [d.gpu for d in report.devices] == [0, 1]
    nothing = judged(["Available devices:", "  (none)"], data, catalogue, frame=frame)
    assert nothing.verdict is SmokeVerdict.FAILS


def test_figures_of_unmatched_gpus_claim_nothing(data, catalogue) -> None:
    report = judged(GOOD, data, catalogue, host=None)

    assert all(f.claim is None for f in report.figures)
    assert report.verdict is SmokeVerdict.WORKS


def test_pcie_pairs_and_unknown_slots_claim_nothing(data, catalogue) -> None:
    links = (Link(a="GPU0", b="GPU1", kind=LinkKind.SYS),)
    gpus = tuple(replace(gpu, pcie_width_current=None, catalogue_id=None) for gpu in HOST.gpus)
    host = replace(HOST, gpus=gpus, topology=Topology(links=links))
    report = judged(GOOD, data, catalogue, host=host)

    assert all(f.claim is None for f in report.figures)


@given(
    st.lists(
        st.one_of(
            st.text(),
            st.sampled_from(GOOD).map(lambda t: t[:-3]),
            st.text().map(lambda t: MARK + t),
        )
    )
)
def test_no_output_raises(lines: list[str]) -> None:
    reading = SmokeReading()
    for line in lines:
        reading.feed(line)
    root = data_root()
    report = judge_smoke(
        reading,
        FRAME,
        data=load_smoke(root),
        fingerprint=HOST,
        catalogue=_CATALOGUE,
    )
    assert report.verdict in SmokeVerdict


_CATALOGUE = load_gpu_catalogue(data_root())


@pytest.mark.parametrize(
    "line",
    [
        MARK + "[1]",
        MARK + '{"step": "device"}',
        MARK + '{"step": "device", "gpu": true}',
        MARK + '{"step": "gpu_to_gpu", "gpus": "0", "gbps": -1, "direct": 3}',
        MARK + '{"step": 7}',
    ],
)
def test_odd_values_are_left_out(line: str, data, catalogue) -> None:
    report = judged([line], data, catalogue)

    assert report.devices == ()
    assert all(figure.gbps is None for figure in report.figures)


def test_our_own_h200s_are_as_fast_as_claimed(data, catalogue) -> None:
    recorded = Path(__file__).parents[3] / "recorded" / "smoke" / "h200-x2.txt"
    report = judged(recorded.read_text("utf-8").splitlines(), data, catalogue)

    assert report.verdict is SmokeVerdict.WORKS
    shares = {figure.quantity: figure.share for figure in report.figures}
    assert shares["device_memory"] == pytest.approx(0.89, abs=0.02)
    assert shares["gpu_to_gpu"] == pytest.approx(0.81, abs=0.03)


def test_the_checks_learn_what_a_run_found(data, catalogue) -> None:
    works = with_smoke(CheckContext(), judged(GOOD, data, catalogue))
    lines = [GOOD[1], said("cuda", error="CUDA error 803"), said("done")]
    fails = with_smoke(CheckContext(), judged(lines, data, catalogue))
    cut = with_smoke(CheckContext(), judged(GOOD[:2], data, catalogue))

    assert works.cuda_works is True
    assert works.cuda_words == "NVIDIA H200, NVIDIA H200"
    assert works.model_read_bytes_s == pytest.approx(2.5e9)
    assert (fails.cuda_works, fails.cuda_words) == (False, "CUDA error 803")
    assert cut.cuda_works is None
    assert with_smoke(CheckContext(), None) == CheckContext()

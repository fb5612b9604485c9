"""Compare what was measured with what data sheet, driver and slot claim."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.fingerprint import Fingerprint, Gpu, LinkKind
from app.core.hardware.topology import gpu_links
from app.core.smoke.read import RawFigure, SmokeReading, host_gpus
from app.core.smoke.report import (
    Claim,
    FigureState,
    SmokeDevice,
    SmokeFigure,
    SmokeReport,
    SmokeVerdict,
)
from app.core.smoke.spec import SmokeData, SmokeKind, SmokeQuantity

_PCIE_GBPS_PER_LANE: Final[Mapping[int, float]] = {1: 0.25, 2: 0.5, 3: 0.985, 4: 1.969, 5: 3.938}
"""GB/s of one lane in one direction after line coding.

Source: PCI Express base specification, transfer rate times 8b/10b or 128b/130b coding.
"""
_OVER_PCIE: Final = frozenset({SmokeQuantity.HOST_TO_DEVICE, SmokeQuantity.DEVICE_TO_HOST})


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeFrame:
    """What the run was."""

    host_name: str
    taken_at: str
    engine: str
    image: str
    kind: SmokeKind
    command: str
    gpu_uuids: tuple[str, ...]
    duration_s: float
    simulated: bool = False


def judge_smoke(
    reading: SmokeReading,
    frame: SmokeFrame,
    *,
    data: SmokeData,
    fingerprint: Fingerprint | None,
    catalogue: GpuCatalogue,
    trouble: Sequence[str] = (),
) -> SmokeReport:
    """Put claims beside the figures and say what the run shows.

    Args:
        reading: What the container printed.
        frame: What was run, where and when.
        data: From which share of a claim on a figure is low.
        fingerprint: The host's, for claims of driver and slot.
        catalogue: For claims of the data sheet.
        trouble: What else went wrong: an exit code, a deadline, the last words of the container.
    """
    gpus = host_gpus(reading, fingerprint, frame.gpu_uuids)
    figures = tuple(
        _figure(raw, gpus, data=data, fingerprint=fingerprint, catalogue=catalogue)
        for raw in reading.figures
    )
    devices = tuple(_matched(device, gpus) for device in reading.devices)
    complete = reading.done or (frame.kind is SmokeKind.LIST_DEVICES and not trouble)
    errors = (*reading.errors, *(d.error for d in devices if d.error), *trouble)
    return SmokeReport(
        host_name=frame.host_name,
        taken_at=frame.taken_at,
        engine=frame.engine,
        image=frame.image,
        kind=frame.kind,
        command=frame.command,
        verdict=_verdict(reading, frame, devices, figures, complete=complete),
        torch=reading.torch,
        cuda=reading.cuda,
        devices=devices,
        figures=figures,
        errors=errors,
        duration_s=frame.duration_s,
        complete=complete,
        simulated=frame.simulated,
    )


def _matched(device: SmokeDevice, gpus: Mapping[int, Gpu]) -> SmokeDevice:
    gpu = gpus.get(device.index)
    return replace(device, gpu=gpu.index if gpu is not None else None)


def _figure(
    raw: RawFigure,
    gpus: Mapping[int, Gpu],
    *,
    data: SmokeData,
    fingerprint: Fingerprint | None,
    catalogue: GpuCatalogue,
) -> SmokeFigure:
    here = [gpus[i] for i in raw.indices if i in gpus]
    known = here if len(here) == len(raw.indices) else []
    claim = _claim(raw.quantity, known, fingerprint, catalogue)
    figure = SmokeFigure(
        quantity=raw.quantity,
        gpus=tuple(gpu.index for gpu in known) or raw.indices,
        gbps=raw.gbps,
        claim=claim,
        state=FigureState.NO_CLAIM,
        direct=raw.direct,
        error=raw.error,
    )
    return replace(figure, state=_state(figure, data))


def _state(figure: SmokeFigure, data: SmokeData) -> FigureState:
    if figure.gbps is None:
        return FigureState.FAILED
    least = data.warn_below(figure.quantity)
    if figure.share is None or least is None:
        return FigureState.NO_CLAIM
    return FigureState.LOW if figure.share < least else FigureState.AS_CLAIMED


def _claim(
    quantity: SmokeQuantity,
    gpus: Sequence[Gpu],
    fingerprint: Fingerprint | None,
    catalogue: GpuCatalogue,
) -> Claim | None:
    if not gpus or fingerprint is None:
        return None
    if quantity is SmokeQuantity.DEVICE_MEMORY:
        model = catalogue.by_id(gpus[0].catalogue_id or "")
        if model is None or model.bandwidth_gbps is None:
            return None
        return Claim(gbps=model.bandwidth_gbps, source=f"data sheet of {model.name}")
    if quantity in _OVER_PCIE:
        return _pcie_claim(gpus[0])
    if quantity is SmokeQuantity.DISK_READ:
        return None
    return _nvlink_claim(gpus, fingerprint)


def _pcie_claim(gpu: Gpu) -> Claim | None:
    """Take the slot's best generation: an idle link rests at a lower one and rises under load."""
    generation, lanes = gpu.pcie_gen_max or gpu.pcie_gen_current, gpu.pcie_width_current
    rate = _PCIE_GBPS_PER_LANE.get(generation or 0)
    if rate is None or lanes is None:
        return None
    return Claim(gbps=rate * lanes, source=f"PCIe generation {generation}, {lanes} lanes")


def _nvlink_claim(gpus: Sequence[Gpu], fingerprint: Fingerprint) -> Claim | None:
    """Take the weakest NVLink of the group in one direction; other paths claim nothing."""
    links = gpu_links(fingerprint.topology)
    indices = sorted(gpu.index for gpu in gpus)
    rates = []
    for position, a in enumerate(indices):
        for b in indices[position + 1 :]:
            link = links.get((a, b))
            if link is None or link.kind is not LinkKind.NVLINK or link.bandwidth_gbps is None:
                return None
            rates.append(link.bandwidth_gbps / 2)
    if not rates:
        return None
    return Claim(gbps=min(rates), source="NVLink as the driver reports it, one direction")


def _verdict(
    reading: SmokeReading,
    frame: SmokeFrame,
    devices: Sequence[SmokeDevice],
    figures: Sequence[SmokeFigure],
    *,
    complete: bool,
) -> SmokeVerdict:
    if not frame.gpu_uuids:
        return SmokeVerdict.NO_GPU if complete else SmokeVerdict.UNKNOWN
    asked = reading.device_count is not None or frame.kind is SmokeKind.LIST_DEVICES
    if reading.errors and reading.torch:
        return SmokeVerdict.FAILS
    if not complete or not asked:
        return SmokeVerdict.UNKNOWN
    wrong = any(device.computes is False or device.error for device in devices)
    if len(devices) < len(frame.gpu_uuids) or wrong:
        return SmokeVerdict.FAILS
    if any(f.state in {FigureState.LOW, FigureState.FAILED} for f in figures):
        return SmokeVerdict.LOW
    return SmokeVerdict.WORKS

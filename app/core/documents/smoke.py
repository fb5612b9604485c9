"""Documents of ``smoke``: the plan (``--dry-run``) and what a run found."""

from dataclasses import dataclass
from typing import Literal

from app.core.smoke.report import SmokeDevice, SmokeFigure, SmokeReport


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeFigureEntry:
    """One measurement; rates in GB/s."""

    quantity: str
    gpus: tuple[int, ...]
    gbps: float | None
    claimed_gbps: float | None
    claim_source: str
    share: float | None
    """Measured over claimed."""
    state: Literal["as_claimed", "low", "no_claim", "failed"]
    direct: bool | None
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeDocument:
    """What a smoke run found."""

    schema: Literal["pitwall.smoke/1"] = "pitwall.smoke/1"
    host: str
    taken_at: str
    engine: str
    image: str
    command: str
    verdict: Literal["works", "low", "fails", "no_gpu", "unknown"]
    complete: bool
    torch: str
    cuda: str
    devices: tuple[SmokeDevice, ...]
    figures: tuple[SmokeFigureEntry, ...]
    errors: tuple[str, ...]
    duration_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokePreviewDocument:
    """``smoke --dry-run``: what would be run; nothing was started."""

    schema: Literal["pitwall.smoke/1"] = "pitwall.smoke/1"
    host: str
    engine: str
    image: str
    gpu_uuids: tuple[str, ...]
    command: str


def smoke_document(report: SmokeReport) -> SmokeDocument:
    """Return a report as it is printed."""
    return SmokeDocument(
        host=report.host_name,
        taken_at=report.taken_at,
        engine=report.engine,
        image=report.image,
        command=report.command,
        verdict=report.verdict.value,
        complete=report.complete,
        torch=report.torch,
        cuda=report.cuda,
        devices=report.devices,
        figures=tuple(_entry(figure) for figure in report.figures),
        errors=report.errors,
        duration_s=round(report.duration_s, 3),
    )


def _entry(figure: SmokeFigure) -> SmokeFigureEntry:
    share = figure.share
    return SmokeFigureEntry(
        quantity=figure.quantity.value,
        gpus=figure.gpus,
        gbps=None if figure.gbps is None else round(figure.gbps, 2),
        claimed_gbps=None if figure.claim is None else figure.claim.gbps,
        claim_source="" if figure.claim is None else figure.claim.source,
        share=None if share is None else round(share, 3),
        state=figure.state.value,
        direct=figure.direct,
        error=figure.error,
    )

"""What a smoke run tells the checks of a host: whether CUDA works, how fast the disk reads."""

from dataclasses import replace
from typing import Final

from app.core.checks.spec import CheckContext
from app.core.smoke.report import SmokeReport, SmokeVerdict
from app.core.smoke.spec import SmokeQuantity

_WORKS: Final = {
    SmokeVerdict.WORKS: True,
    SmokeVerdict.LOW: True,
    SmokeVerdict.FAILS: False,
}


def with_smoke(context: CheckContext, report: SmokeReport | None) -> CheckContext:
    """Add what a run found; a run that could not ask adds nothing."""
    if report is None:
        return context
    works = _WORKS.get(report.verdict, context.cuda_works)
    words = "; ".join(report.errors) or ", ".join(device.name for device in report.devices)
    disk = next((f.gbps for f in report.figures if f.quantity is SmokeQuantity.DISK_READ), None)
    return replace(
        context,
        cuda_works=works,
        cuda_words=words if report.verdict in _WORKS else context.cuda_words,
        model_read_bytes_s=disk * 1e9 if disk is not None else context.model_read_bytes_s,
    )

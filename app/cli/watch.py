"""``pitwall watch``: live values as lines."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from app.cli.connect import Answers, reach
from app.cli.context import EXIT_OK, run_command
from app.cli.options import SECONDS, accept_key_option, json_option, password_option
from app.cli.output import Output
from app.core.documents.operate import WatchLine
from app.core.errors import UserInputError
from app.core.ids import HostId, parse_deployment_ref
from app.core.metrics.vocabulary import ENGINE_METRICS, Exposure, SeriesKey

if TYPE_CHECKING:
    from app.bootstrap import Application


@dataclass(frozen=True, slots=True, kw_only=True)
class _Subject:
    host_id: HostId
    host: str
    deployment: str | None
    simulated: bool


@click.command("watch")
@click.argument("target", metavar="HOST|HOST/NAME")
@click.option("--interval", type=SECONDS, default="1s", show_default=True)
@click.option("--count", type=click.IntRange(min=1), help="End after this many lines.")
@accept_key_option
@password_option
@json_option
def watch_command(
    *,
    target: str,
    interval: float,
    count: int | None,
    accept_key: str | None,
    password_stdin: bool,
    as_json: bool,
) -> None:
    """Print GPU and engine values once per interval until interrupted."""
    output = Output("watch", as_json=as_json)
    answers = Answers.from_options(accept_key=accept_key, password_stdin=password_stdin)

    async def work(application: "Application") -> int:
        subject = await _subject(application, target, answers)
        await application.metrics.watch(subject.host_id)
        printed = 0
        while count is None or printed < count:
            await application.clock.sleep(max(interval, 0.2))
            line = _line(application, subject)
            output.line(line, _text(line))
            printed += 1
        return EXIT_OK

    run_command(output, work)


async def _subject(application: "Application", target: str, answers: Answers) -> _Subject:
    try:
        ref = parse_deployment_ref(target) if "/" in target else None
    except UserInputError:
        ref = None  # a host's name may hold no slash: connecting says so
    snapshot = await reach(application, ref.host if ref else target, answers)
    host_id = snapshot.settings.id
    simulated = snapshot.settings.kind.value == "demo"
    await application.deployments.refresh(host_id)
    if ref is None:
        return _Subject(host_id=host_id, host=target, deployment=None, simulated=simulated)
    found = application.deployments.find(target)
    return _Subject(host_id=host_id, host=ref.host, deployment=found.name, simulated=simulated)


def _line(application: "Application", subject: _Subject) -> WatchLine:
    from app.services.clock import utc_text

    metrics = application.metrics
    gpus: dict[int, dict[str, float | None]] = {}
    engine: dict[str, float | None] = {}
    for key in metrics.keys(subject.host_id, subject.deployment):
        value = _latest(application, key)
        if key.gpu_index is not None:
            row = gpus.setdefault(key.gpu_index, {"index": key.gpu_index})
            row[key.metric.value.removeprefix("gpu.")] = value
        elif key.deployment == subject.deployment and subject.deployment is not None:
            engine[key.metric.value.removeprefix("engine.")] = value
    reasons: dict[str, str] = {}
    if subject.deployment is not None:
        for metric in ENGINE_METRICS:
            exposure = metrics.exposure(subject.host_id, subject.deployment, metric)
            if exposure is not Exposure.EXPOSED:
                reasons[metric.value.removeprefix("engine.")] = exposure.value
    return WatchLine(
        at=utc_text(application.clock.now_s()),
        host=subject.host,
        deployment=subject.deployment,
        gpus=tuple(gpus[index] for index in sorted(gpus)),
        engine=engine,
        not_exposed=reasons,
        simulated=subject.simulated,
    )


def _latest(application: "Application", key: SeriesKey) -> float | None:
    values = application.metrics.series(key).values
    return None if not values or math.isnan(values[-1]) else values[-1]


def _text(line: WatchLine) -> str:
    parts = [line.at, *(["SIMULATED"] if line.simulated else [])]
    parts.extend(
        f"GPU{_show(gpu.get('index'), 0)} {_show(gpu.get('memory_used_mib'), 0)} MiB"
        f" {_show(gpu.get('utilization_percent'), 0)} % {_show(gpu.get('power_w'), 0)} W"
        for gpu in line.gpus
    )
    units = {
        "requests_running": ("running", 0),
        "requests_waiting": ("waiting", 0),
        "output_tokens_per_s": ("tokens/s", 1),
    }
    parts.extend(
        f"{_show(line.engine[name], digits)} {unit}"
        for name, (unit, digits) in units.items()
        if name in line.engine
    )
    return "  ".join(parts)


def _show(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"

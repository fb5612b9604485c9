"""``pitwall smoke``: CUDA asked inside the engine's own image, figures beside their claims."""

from typing import TYPE_CHECKING, Final

import click

from app.cli.connect import Answers, reach
from app.cli.context import EXIT_NEGATIVE, EXIT_OK, run_command
from app.cli.fingerprint import take
from app.cli.options import accept_key_option, json_option, password_option
from app.cli.output import Output
from app.core.documents.smoke import SmokePreviewDocument, smoke_document
from app.core.smoke.report import FigureState, SmokeFigure, SmokeReport, SmokeVerdict

if TYPE_CHECKING:
    from app.bootstrap import Application

_VERDICTS: Final = {
    SmokeVerdict.WORKS: "CUDA works, and memory and links are as fast as claimed.",
    SmokeVerdict.LOW: "CUDA works, but something is slower than claimed.",
    SmokeVerdict.FAILS: "CUDA does not work in this image on this host.",
    SmokeVerdict.NO_GPU: "No GPU was handed over, so CUDA was not asked.",
    SmokeVerdict.UNKNOWN: "Not known: the image could not be asked to the end.",
}
_NAMES: Final = {
    "device_memory": "GPU memory, copy",
    "host_to_device": "host to GPU",
    "device_to_host": "GPU to host",
    "gpu_to_gpu": "GPU to GPU",
    "all_reduce": "all-reduce, bus rate",
    "disk_read": "disk, one reader",
}
_STATES: Final = {
    FigureState.AS_CLAIMED: "as claimed",
    FigureState.LOW: "LOW",
    FigureState.NO_CLAIM: "",
    FigureState.FAILED: "failed",
}


@click.command("smoke")
@click.argument("host")
@click.option("--engine", required=True, help="Whose image is asked: vllm, llamacpp …")
@click.option("--image", default="", help="Another image of that engine that the host has.")
@click.option("--gpu", "gpus", multiple=True, metavar="UUID", help="Only this GPU; repeatable.")
@click.option("--disk", default="", metavar="DIR", help="Also read the largest file below DIR.")
@click.option("--dry-run", is_flag=True, help="Show the exact command; start nothing.")
@accept_key_option
@password_option
@json_option
def smoke_command(
    *,
    host: str,
    engine: str,
    image: str,
    gpus: tuple[str, ...],
    disk: str,
    dry_run: bool,
    accept_key: str | None,
    password_stdin: bool,
    as_json: bool,
) -> None:
    """Ask CUDA itself, inside the engine's own image, and measure memory and links.

    One container of an image that HOST already has runs for up to three minutes, without network
    and with nothing written, and is removed. Exit code 3 when CUDA fails or a figure is low.
    """
    output = Output("smoke", as_json=as_json)
    answers = Answers.from_options(accept_key=accept_key, password_stdin=password_stdin)

    async def work(application: "Application") -> int:
        from app.services.smoke import SmokeWish

        snapshot = await reach(application, host, answers)
        host_id = snapshot.settings.id
        if await application.hosts.fingerprint(host_id) is None:
            output.progress(f"Taking the fingerprint of {host} …")
            await take(application, host_id, output)
        wish = SmokeWish(engine=engine, image=image, gpu_uuids=gpus, folder=disk)
        plan = await application.smoke.plan(host_id, wish)
        if dry_run:
            document = SmokePreviewDocument(
                host=plan.host_name,
                engine=engine,
                image=plan.container.image,
                gpu_uuids=plan.container.gpu_uuids,
                command=plan.command,
            )
            output.document(document, plan.command)
            return EXIT_OK
        output.progress(f"Running {plan.container.image} on {host} …")
        report = await application.smoke.run(plan)
        output.document(smoke_document(report), smoke_text(report))
        good = report.verdict in {SmokeVerdict.WORKS, SmokeVerdict.NO_GPU}
        return EXIT_OK if good else EXIT_NEGATIVE

    run_command(output, work)


def smoke_text(report: SmokeReport) -> str:
    """Write a report for people."""
    lines = [f"{report.host_name}: {_VERDICTS[report.verdict]}", f"  image {report.image}"]
    if report.torch:
        lines.append(f"  torch {report.torch}, built for CUDA {report.cuda or 'none (CPU)'}")
    for device in report.devices:
        place = f"GPU {device.gpu}" if device.gpu is not None else f"CUDA device {device.index}"
        total = f", {device.total_bytes / 2**30:,.2f} GiB" if device.total_bytes else ""
        says = device.error or ("computes" if device.computes else "listed")
        if device.computes is False:
            says = "COMPUTES WRONGLY"
        lines.append(f"  {place}: {device.name or '?'}{total}: {says}")
    lines += [_figure_line(figure) for figure in report.figures]
    lines += [f"  {error}" for error in report.errors]
    return "\n".join(lines)


def _figure_line(figure: SmokeFigure) -> str:
    name = _NAMES[figure.quantity]
    if figure.gpus:
        name += f" ({', '.join(map(str, figure.gpus))})"
    if figure.gbps is None:
        return f"  {name:<28} failed: {figure.error.splitlines()[-1] if figure.error else '?'}"
    text = f"  {name:<28} {figure.gbps:>9,.1f} GB/s"
    if figure.claim is not None and figure.share is not None:
        text += f"  {figure.share:>4.0%} of {figure.claim.gbps:,.1f} ({figure.claim.source})"
    state = _STATES[figure.state]
    return f"{text}  {state}" if state else text

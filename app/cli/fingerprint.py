"""``pitwall fingerprint``: the facts of a host, or of what a customer sent."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from app.cli.connect import Answers, reach
from app.cli.context import EXIT_OK, run_command
from app.cli.options import (
    WHAT_IF,
    accept_key_option,
    json_option,
    password_option,
    read_source,
)
from app.cli.output import Output, table
from app.core.causes import Cause
from app.core.errors import ErrorCode, StoreError, UserInputError
from app.core.hardware.fingerprint import Fingerprint, Gpu, HostSource, LinkKind
from app.core.ids import HostId
from app.core.units import format_bytes

if TYPE_CHECKING:
    from app.bootstrap import Application


_NOTES: Final = {
    "cut": "An output is cut off; what followed is missing",
    "redacted": "Stand-ins for what was hidden",
    "pastes_contradict": "Files of different hosts or times; the first of each kind counts",
    "not_read": "A file says nothing about the host",
    "assumed": "Assumed from the GPU catalogue",
}


@click.command("fingerprint")
@click.argument("host", required=False)
@click.option(
    "--from",
    "source",
    metavar="DIR|FILE|-",
    help="Read what a customer sent instead: the collector's file, outputs, a folder, an archive.",
)
@click.option(
    "--what-if", "what_if", metavar="TEXT",
    help="Make it from the GPU catalogue: “8x H100 80GB SXM, 2 sockets, driver 550.54”.",
)  # fmt: skip
@click.option("--save", type=click.Path(dir_okay=False), help="Also write the JSON to this file.")
@accept_key_option
@password_option
@json_option
def fingerprint_command(
    *,
    host: str | None,
    source: str | None,
    what_if: str | None,
    save: str | None,
    accept_key: str | None,
    password_stdin: bool,
    as_json: bool,
) -> None:
    """Take the fingerprint of HOST: one read-only script, nothing is installed or changed."""
    output = Output("fingerprint", as_json=as_json)
    answers = Answers.from_options(accept_key=accept_key, password_stdin=password_stdin)

    async def work(application: "Application") -> int:
        if [host, source, what_if].count(None) != 2:
            raise UserInputError(
                ErrorCode.INVALID_INPUT,
                {"field": "host"},
                cause="One of HOST, --from and --what-if is needed.",
                remedy="For example: pitwall fingerprint demo",
            )
        if what_if is not None:
            fingerprint = application.imports.what_if(what_if)
        elif source is not None:
            fingerprint = await load(application, source)
        else:
            snapshot = await reach(application, host or "", answers)
            fingerprint = await take(application, snapshot.settings.id, output)
        if save is not None:
            await application.imports.write(Path(save), fingerprint)
            output.progress(f"Saved {save}")
        causes = application.data.causes if fingerprint.warnings else {}
        output.document(fingerprint, fingerprint_text(fingerprint, causes))
        return EXIT_OK

    run_command(output, work)


async def take(application: "Application", host_id: HostId, output: Output) -> Fingerprint:
    """Take a host's fingerprint; that it cannot be stored is only worth a note.

    Raises:
        HostError: when the host cannot be asked.
    """
    try:
        return await application.hosts.take_fingerprint(host_id)
    except StoreError as error:
        fingerprint = await application.hosts.fingerprint(host_id)
        if fingerprint is None:
            raise
        output.notice(error.info)
        return fingerprint


async def load(application: "Application", source: str) -> Fingerprint:
    """Read a saved fingerprint, what the collector wrote, pastes, a folder or archive of them.

    ``what-if:2x L40S`` makes one from the catalogue.

    Raises:
        UserInputError: when nothing of it can be read.
    """
    if source.startswith(WHAT_IF):
        return application.imports.what_if(source.removeprefix(WHAT_IF))
    if source == "-":
        return await application.imports.from_text(await read_source(source), name="stdin")
    return await application.imports.from_path(Path(source))


def fingerprint_text(fingerprint: Fingerprint, causes: Mapping[str, Cause]) -> str:
    """Write the facts that a person looks for first; unknown values say why."""
    unknown = fingerprint.unknown

    def say(value: object, path: str) -> str:
        if value is None:
            return f"unknown ({unknown[path].value})" if path in unknown else "unknown"
        return str(value)

    machine, cpu, memory = fingerprint.machine, fingerprint.cpu, fingerprint.memory
    runtime = fingerprint.containers
    facts = [
        ("host", fingerprint.host_name or machine.hostname or "–"),
        ("system", say(machine.os_name, "machine.os_name")),
        ("kernel", say(machine.kernel, "machine.kernel")),
        ("processor", f"{say(cpu.model, 'cpu.model')}, {say(cpu.cores, 'cpu.cores')} cores"),
        ("memory", "unknown" if memory.total_bytes is None else format_bytes(memory.total_bytes)),
        ("GPUs", str(len(fingerprint.gpus)) if fingerprint.gpus else say(None, "gpus")),
        ("driver", say(fingerprint.driver_version, "driver_version")),
        ("CUDA", say(fingerprint.cuda_version, "cuda_version")),
        ("containers", f"{say(runtime.name, 'containers.name')} {runtime.version or ''}".strip()),
        ("GPU access", runtime.gpu_access.value),
    ]  # fmt: skip
    parts = ["\n".join(f"{label:<11} {value}" for label, value in facts)]
    if fingerprint.simulated:
        parts.insert(0, _simulated(fingerprint))
    if fingerprint.gpus:
        parts.append(_gpu_table(fingerprint.gpus))
    links = [
        f"{link.a} – {link.b}: {link.kind.value}{link.nvlink_count or ''}"
        for link in fingerprint.topology.links
        if link.kind is LinkKind.NVLINK
    ]
    if links:
        parts.append("\n".join(links))
    parts.extend(_warning_text(text, causes) for text in fingerprint.warnings)
    return "\n\n".join(parts)


def _simulated(fingerprint: Fingerprint) -> str:
    if fingerprint.source is HostSource.CATALOGUE:
        return "WHAT IF: made from the GPU catalogue, no machine was asked."
    return "SIMULATED: recorded hardware, not a machine of yours."


def _warning_text(warning: str, causes: Mapping[str, Cause]) -> str:
    """Say what a warning's cause means and what to do, beside what the tool printed."""
    code, _, evidence = warning.partition(": ")
    cause = causes.get(code)
    if code in _NOTES:
        return f"warning: {_NOTES[code]} ({evidence})"
    if cause is None:
        return f"warning: {warning}"
    lines = [f"warning: {cause.meaning.en} ({evidence})"]
    if cause.remedy is not None:
        lines.append(f"  What to do: {cause.remedy.en}")
    return "\n".join(lines)


def _gpu_table(gpus: tuple[Gpu, ...]) -> str:
    def cell(value: object) -> str:
        return "unknown" if value is None else str(value)

    rows = [
        (
            str(gpu.index),
            cell(gpu.name),
            cell(gpu.compute_cap),
            cell(gpu.memory_total_mib),
            cell(gpu.memory_reserved_mib),
            cell(gpu.memory_used_mib),
            cell(gpu.uuid),
        )
        for gpu in gpus
    ]
    header = ("GPU", "NAME", "CC", "TOTAL MiB", "RESERVED MiB", "USED MiB", "UUID")
    return table(header, rows, right=(0, 3, 4, 5))

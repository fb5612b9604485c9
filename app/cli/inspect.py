"""``pitwall inspect``: recognise what somebody sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from app.cli.context import EXIT_NEGATIVE, EXIT_OK, guard, run_command
from app.cli.inspect_text import result_text
from app.cli.options import is_archive, is_folder, json_option, read_text
from app.cli.output import Output
from app.core.documents.inspect import InspectDocument
from app.core.versions import is_version

if TYPE_CHECKING:
    from app.bootstrap import Application
    from app.core.clinic.report import Clinic
    from app.core.inspect.launches import LaunchReader

HEAD_CHARACTERS: Final = 4 * 1024 * 1024
"""Tools print less; logs say what they are at their beginning."""


@click.command("inspect")
@click.argument("file")
@click.option("--kind", help="Read it as this kind instead of recognising it.")
@click.option("--engine-version", help="Of the engine, where a launch text does not say it.")
@click.option(
    "--fingerprint",
    metavar="FILE",
    help="The host that a launch text is meant for: a saved fingerprint or what a customer sent.",
)
@json_option
def inspect_command(
    *,
    file: str,
    kind: str | None,
    engine_version: str | None,
    fingerprint: str | None,
    as_json: bool,
) -> None:
    """Recognise and read FILE (“-” is stdin): tools' output, logs, metrics, configs, a folder.

    Launch texts (docker run, compose, Kubernetes, systemd, a script, nginx in front) are judged
    line by line: what that version of the engine will reject, ignore or misunderstand, and what to
    write instead. Exit code 3 when something will be rejected.
    """
    output = Output("inspect", as_json=as_json)
    if engine_version is not None and not is_version(engine_version):
        raise click.BadParameter(
            f"“{engine_version[:64]}” is no version of an engine, as 0.26.0 or b9800 are.",
            param_hint="--engine-version",
        )
    if file != "-" and (is_folder(file) or is_archive(file)):
        run_command(output, lambda application: _look(application, output, Path(file)))
        return
    read: list[str] = []
    if (code := guard(output, lambda: _read(file, read))) != EXIT_OK:
        raise SystemExit(code)
    text = read[0]
    if _may_launch(text):
        asked = _Asked(kind=kind, version=engine_version, host=fingerprint)
        run_command(output, lambda application: _judge(application, output, text, asked))
        return
    raise SystemExit(guard(output, lambda: _recognise(output, text, kind)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What the user says beside the text."""

    kind: str | None
    version: str | None
    host: str | None


def _read(file: str, into: list[str]) -> int:
    into.append(read_text(file))
    return EXIT_OK


def _may_launch(text: str) -> bool:
    from app.core.clinic.recognise import may_launch

    return may_launch(text)


async def _judge(application: "Application", output: Output, text: str, asked: _Asked) -> int:
    from app.core.clinic.around import host_around
    from app.core.inspect.launches import LaunchReader

    around = None
    if asked.host is not None:
        around = host_around(await application.imports.from_path(Path(asked.host)))
    reader = LaunchReader(
        knowledge=application.data.knowledge, version=asked.version, around=around
    )
    return _recognise(output, text, asked.kind, reader)


def _recognise(
    output: Output, text: str, kind: str | None, launches: "LaunchReader | None" = None
) -> int:
    from app.core.inspect.recognise import inspect_long, inspect_text

    head = text[:HEAD_CHARACTERS]
    found = inspect_long(head, launches) if kind is None else inspect_text(head, kind, launches)
    result = dict(found.result)
    warnings = found.warnings
    if len(text) > HEAD_CHARACTERS:
        warnings = (*warnings, f"long: only the first {HEAD_CHARACTERS:,} characters were read")
        if "line_count" in result:
            result["line_count"] = len(text.splitlines())
    _print(output, found.kind, result, warnings, found.clinic)
    return EXIT_NEGATIVE if found.clinic is not None and found.clinic.is_rejected else EXIT_OK


async def _look(application: "Application", output: Output, path: Path) -> int:
    look = await application.inspecting.path(path)
    _print(output, look.kind, look.result, look.warnings, look.clinic)
    return EXIT_OK


def _print(
    output: Output,
    kind: str,
    result: Mapping[str, object],
    warnings: tuple[str, ...],
    clinic: "Clinic | None",
) -> None:
    document = InspectDocument(kind=str(kind), result=result, warnings=warnings)
    output.document(document, result_text(document.kind, result, warnings, clinic))

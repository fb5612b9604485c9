"""``pitwall inspect``: recognise what somebody sent."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from app.cli.context import EXIT_OK, guard, run_command
from app.cli.options import is_archive, is_folder, json_option, read_text
from app.cli.output import Output
from app.core.documents.encode import to_json
from app.core.documents.inspect import InspectDocument

if TYPE_CHECKING:
    from app.bootstrap import Application

HEAD_CHARACTERS: Final = 4 * 1024 * 1024
"""Tools print less; logs say what they are at their beginning."""


@click.command("inspect")
@click.argument("file")
@click.option("--kind", help="Read it as this kind instead of recognising it.")
@json_option
def inspect_command(*, file: str, kind: str | None, as_json: bool) -> None:
    """Recognise and read FILE (“-” is stdin): tools' output, logs, metrics, configs, a folder."""
    output = Output("inspect", as_json=as_json)
    if file != "-" and (is_folder(file) or is_archive(file)):
        run_command(output, lambda application: _look(application, output, Path(file)))
        return

    def action() -> int:
        from app.core.inspect.recognise import inspect_long, inspect_text

        text = read_text(file)
        head = text[:HEAD_CHARACTERS]
        found = inspect_long(head) if kind is None else inspect_text(head, kind)
        result = dict(found.result)
        warnings = found.warnings
        if len(text) > HEAD_CHARACTERS:
            warnings = (*warnings, f"long: only the first {HEAD_CHARACTERS:,} characters were read")
            if "line_count" in result:
                result["line_count"] = len(text.splitlines())
        _print(output, found.kind, result, warnings)
        return EXIT_OK

    raise SystemExit(guard(output, action))


async def _look(application: "Application", output: Output, path: Path) -> int:
    look = await application.inspecting.path(path)
    _print(output, look.kind, look.result, look.warnings)
    return EXIT_OK


def _print(
    output: Output, kind: str, result: Mapping[str, object], warnings: tuple[str, ...]
) -> None:
    document = InspectDocument(kind=str(kind), result=result, warnings=warnings)
    lines = [f"kind: {document.kind}", *(f"warning: {text}" for text in warnings)]
    output.document(document, "\n".join([*lines, to_json(document.result, indent=2)]))

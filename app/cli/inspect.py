"""``pitwall inspect``: recognise a paste."""

import click

from app.cli.context import EXIT_OK, guard
from app.cli.options import json_option, read_text
from app.cli.output import Output
from app.core.documents.encode import to_json
from app.core.documents.inspect import InspectDocument


@click.command("inspect")
@click.argument("file")
@click.option("--kind", help="Read it as this kind instead of recognising it.")
@json_option
def inspect_command(*, file: str, kind: str | None, as_json: bool) -> None:
    """Recognise and read FILE (“-” is stdin): nvidia-smi output, logs, metrics, configs."""
    output = Output("inspect", as_json=as_json)

    def action() -> int:
        from app.core.inspect.recognise import inspect_text

        found = inspect_text(read_text(file), kind)
        document = InspectDocument(
            kind=str(found.kind), result=found.result, warnings=found.warnings
        )
        lines = [f"kind: {document.kind}", *(f"warning: {text}" for text in found.warnings)]
        output.document(document, "\n".join([*lines, to_json(document.result, indent=2)]))
        return EXIT_OK

    raise SystemExit(guard(output, action))

"""``pitwall report``: what is handed on; so far the support bundle."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.connect import Answers
from app.cli.context import EXIT_OK, run_command
from app.cli.operate import deployment_argument, find_deployment
from app.cli.options import accept_key_option, json_option, password_option
from app.cli.output import Output, table
from app.core.bundle.content import Bundle
from app.core.documents.report import BundledFile, BundleDocument
from app.core.errors import ErrorCode, UserInputError
from app.core.units import format_bytes

if TYPE_CHECKING:
    from app.bootstrap import Application


@click.group("report")
def report_command() -> None:
    """Write what is handed on to somebody else."""


@report_command.command("bundle")
@deployment_argument
@click.option("-o", "--output", "file", type=click.Path(path_type=Path), help="Where to write it.")
@click.option("--preview", is_flag=True, help="Only say what would be in it; write nothing.")
@click.option("--show", metavar="PATH", help="Print one of its files as it would be written.")
@click.option(
    "--no-redact", is_flag=True, help="Leave hosts, users, paths, addresses and secrets in it."
)
@accept_key_option
@password_option
@json_option
def bundle_command(
    *,
    ref: str,
    file: Path | None,
    preview: bool,
    show: str | None,
    no_redact: bool,
    accept_key: str | None,
    password_stdin: bool,
    as_json: bool,
) -> None:
    """Write the support bundle of HOST/NAME: plan, container, log, findings, host, as one zip.

    Hosts, users, paths, addresses, serial numbers and secrets are replaced by stand-ins.
    """
    if file is None and not preview and show is None:
        msg = "Say where to write it (-o FILE), or look first (--preview)."
        raise click.UsageError(msg)
    output = Output("report", as_json=as_json)
    answers = Answers.from_options(accept_key=accept_key, password_stdin=password_stdin)

    async def work(application: "Application") -> int:
        await find_deployment(application, ref, answers)
        bundle = await application.bundles.make(ref, redact=not no_redact)
        if show is not None:
            output.line(None, _content(bundle, show))
            return EXIT_OK
        written = None
        if file is not None and not preview:
            written = await application.bundles.save(bundle, file)
        document = bundle_document(bundle, ref=ref, file=str(written) if written else None)
        output.document(document, bundle_text(bundle, written))
        return EXIT_OK

    run_command(output, work)


def _content(bundle: Bundle, path: str) -> str:
    for item in bundle.files:
        if item.path == path:
            return item.content.decode("utf-8", "replace")
    raise UserInputError(
        ErrorCode.NOT_FOUND,
        {"field": "show", "value": path},
        cause=f"There is no {path} in this bundle.",
        remedy=f"Its files: {', '.join(item.path for item in bundle.files)}.",
    )


def bundle_text(bundle: Bundle, written: Path | None) -> str:
    """Write what is in a bundle for people."""
    rows = [(f.path, format_bytes(len(f.content)), f.title.en) for f in bundle.files]
    parts = [table(("FILE", "SIZE", "WHAT"), rows, right=(1,))]
    parts += [f"not in it: {gap.path}: {gap.reason.en}" for gap in bundle.missing]
    if not bundle.redacted:
        parts.append("NOT REDACTED: hosts, users, paths, addresses and secrets are in it.")
    elif bundle.replaced:
        counts = ", ".join(f"{kind} {count}" for kind, count in bundle.replaced.items())
        parts.append(f"Replaced by stand-ins: {counts}.")
    parts.append("Nothing was written." if written is None else f"Written to {written}.")
    return "\n".join(parts)


def bundle_document(bundle: Bundle, *, ref: str, file: str | None) -> BundleDocument:
    """Return what is printed of a bundle."""
    return BundleDocument(
        ref=ref,
        file=file,
        redacted=bundle.redacted,
        replaced=bundle.replaced,
        files=tuple(
            BundledFile(
                path=item.path,
                title=item.title.en,
                bytes=len(item.content),
                sha256=item.sha256,
            )
            for item in bundle.files
        ),
        missing={gap.path: gap.reason.en for gap in bundle.missing},
    )

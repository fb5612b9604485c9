"""``pitwall diff``: what differs between two hosts, two dates or two deployments."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from app.cli.connect import Answers, reach
from app.cli.context import EXIT_NEGATIVE, EXIT_OK, run_command
from app.cli.fingerprint import load, take
from app.cli.operate import find_deployment
from app.cli.options import (
    WHAT_IF,
    accept_key_option,
    is_archive,
    is_file,
    is_folder,
    json_option,
    password_option,
    read_source,
)
from app.cli.output import Output, table
from app.core.deployment.record import DeploymentRecord
from app.core.diff.text import comparison_text
from app.core.documents.diff import (
    DiffListDocument,
    DiffRecordDocument,
    StoredEntry,
    diff_document,
)
from app.core.errors import AppError, ErrorCode, UserInputError
from app.core.ids import parse_deployment_ref
from app.core.units import format_size

if TYPE_CHECKING:
    from app.bootstrap import Application
    from app.services.diff import Progress, Subject

_TELL_EVERY_S: Final = 2.0


@click.command("diff")
@click.argument("a")
@click.argument("b", required=False)
@click.option("--only-behaviour", is_flag=True, help="Print only what changes behaviour.")
@click.option("--lang", type=click.Choice(["en", "zh_CN"]), default="en", help="Language.")
@click.option("--hash-weights", is_flag=True, help="Hash whole weight files on the host (slow).")
@click.option("--record", metavar="FILE", help="Save what the deployment A is; no B.")
@click.option("--list", "as_list", is_flag=True, help="List the stored fingerprints of host A.")
@accept_key_option
@password_option
@json_option
def diff_command(
    *,
    a: str,
    b: str | None,
    only_behaviour: bool,
    lang: str,
    hash_weights: bool,
    record: str | None,
    as_list: bool,
    accept_key: str | None,
    password_stdin: bool,
    as_json: bool,
) -> None:
    """Compare A with B; exit code 3 when they do not behave the same.

    A and B are hosts (asked now), HOST@latest, HOST@previous or HOST@DATE (as stored), deployments
    HOST/NAME, files that were saved or sent, or “-” for stdin.
    """
    output = Output("diff", as_json=as_json)
    answers = Answers.from_options(accept_key=accept_key, password_stdin=password_stdin)

    async def work(application: "Application") -> int:
        _check_use(b, alone=record is not None or as_list)
        if as_list:
            return await _list(application, a, output)
        sides = _Sides(application, answers, output, hash_weights=hash_weights)
        first = await sides.get(a)
        if record is not None:
            return await _save(application, first, record, output)
        second = await sides.get(b or "")
        comparison = await application.diffs.compare(first, second)
        text = comparison_text(comparison, lang, only_behaviour=only_behaviour)
        output.document(diff_document(comparison), text)
        return EXIT_NEGATIVE if comparison.changes_behaviour else EXIT_OK

    run_command(output, work)


def _check_use(b: str | None, *, alone: bool) -> None:
    if (b is None) == alone:
        return
    cause = (
        "Two things are needed to compare." if b is None else "Only one thing can be given here."
    )
    raise UserInputError(
        ErrorCode.INVALID_INPUT,
        {"field": "b"},
        cause=cause,
        remedy="For example: pitwall diff demo@previous demo",
    )


class _Sides:
    """Finds what an argument means and gets it."""

    def __init__(
        self, application: "Application", answers: Answers, output: Output, *, hash_weights: bool
    ) -> None:
        self._application = application
        self._answers = answers
        self._output = output
        self._hash_weights = hash_weights

    async def get(self, text: str) -> "Subject":
        """Return what ``text`` names.

        Raises:
            UserInputError: when it names nothing.
            HostError, DockerError: when a host cannot be asked.
        """
        if text.startswith(WHAT_IF) or is_folder(text) or is_archive(text):
            return await load(self._application, text)
        if text == "-" or is_file(text) or text.endswith(".json"):
            return await self._application.diffs.from_text(await read_source(text), text)
        if "/" in text:
            return await self._deployment(text)
        return await self._host(text)

    async def _deployment(self, text: str) -> "Subject":
        try:
            host = parse_deployment_ref(text).host
            self._application.hosts.find(host)
        except UserInputError as error:
            raise _no_such(text) from error
        found = await find_deployment(self._application, text, self._answers)
        return await self._application.diffs.record(
            found, hash_weights=self._hash_weights, progress=self._progress()
        )

    async def _host(self, text: str) -> "Subject":
        hosts = self._application.hosts
        name, at, when = text.rpartition("@")
        names = {snapshot.settings.name for snapshot in hosts.snapshot()}
        if at and text not in names:
            host_id = hosts.find(name).settings.id
            return await self._application.diffs.fingerprint_at(host_id, when)
        if hosts.find(text).is_record:
            return await self._application.diffs.fingerprint_at(hosts.find(text).settings.id)
        snapshot = await reach(self._application, text, self._answers)
        return await take(self._application, snapshot.settings.id, self._output)

    def _progress(self) -> "Progress":
        told_at = 0.0

        def tell(name: str, done: int, total: int) -> None:
            nonlocal told_at
            if name and time.monotonic() - told_at >= _TELL_EVERY_S:
                told_at = time.monotonic()
                of = f"{format_size(done)} of {format_size(total)}"
                self._output.progress(f"Hashing {name} ({of} done)")

        return tell


async def _list(application: "Application", host: str, output: Output) -> int:
    found = application.hosts.find(host).settings
    stored = tuple(
        StoredEntry(
            taken_at=entry.taken_at,
            gpu_text=entry.summary.gpu_text,
            driver_version=entry.summary.driver_version,
        )
        for entry in await application.diffs.history(found.id)
    )
    rows = [
        (entry.taken_at, entry.gpu_text or "–", entry.driver_version or "–") for entry in stored
    ]
    text = table(("TAKEN (UTC)", "GPUS", "DRIVER"), rows) if rows else "Nothing is stored."
    output.document(DiffListDocument(host=found.name, stored=stored), text)
    return EXIT_OK


async def _save(application: "Application", found: "Subject", file: str, output: Output) -> int:
    if not isinstance(found, DeploymentRecord):
        raise UserInputError(
            ErrorCode.INVALID_INPUT,
            {"field": "a"},
            cause="--record saves a deployment, and this is a host.",
            remedy="Name HOST/NAME; a host is saved by “pitwall fingerprint HOST --save FILE”.",
        )
    await application.diffs.save_record(Path(file), found)
    output.document(DiffRecordDocument(ref=found.ref, file=file), f"Saved {file}")
    return EXIT_OK


def _no_such(text: str) -> AppError:
    return UserInputError(
        ErrorCode.NOT_FOUND,
        {"field": "a", "value": text},
        cause=f"“{text}” is neither a file here nor a deployment on a host that Pitwall knows.",
        remedy="Check the path, or write HOST/NAME; “pitwall ps” lists the deployments.",
    )

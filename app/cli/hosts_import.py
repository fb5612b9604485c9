"""``pitwall hosts import-ssh-config``: the hosts of ~/.ssh/config, first shown, then added."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from app.cli.context import EXIT_OK, run_command
from app.cli.options import json_option
from app.cli.output import Output, table
from app.core.documents.hosts import RemarkEntry, SshConfigDocument, SshConfigEntry, host_entry
from app.core.errors import ErrorCode, UserInputError
from app.core.events import HostSnapshot
from app.core.ssh_hosts import Remark, RemarkCode

if TYPE_CHECKING:
    from app.bootstrap import Application
    from app.services.host_import import ImportChoice, ImportPreview

REMARKS: Final = {
    RemarkCode.PROXY_JUMP: "reached through {value}, which Pitwall cannot do yet",
    RemarkCode.PROXY_COMMAND: "reached by a command ({value}), which Pitwall cannot do yet",
    RemarkCode.HOST_KEY_ALIAS: "its key is known as {value}; it will be shown once more",
    RemarkCode.CERTIFICATE: "a certificate is used only when it lies beside its key ({value})",
    RemarkCode.HARDWARE_KEY: "keys on hardware are not used ({value})",
    RemarkCode.IDENTITY_AGENT: "its own agent is not asked ({value}), the session's is",
    RemarkCode.SEVERAL_KEYS: "of its keys only {value} is taken over",
    RemarkCode.KEY_MISSING: "its key {value} is not there",
    RemarkCode.MATCH_EXEC: "a Match exec was passed over; --run-match-exec lets OpenSSH run it",
    RemarkCode.MATCH_UNKNOWN: "a Match was passed over that Pitwall does not know",
    RemarkCode.SSH_SILENT: "ssh -G did not answer, so Pitwall read the file itself",
    RemarkCode.BAD_PORT: "its port cannot be used ({value})",
    RemarkCode.FILE_SKIPPED: "{value} is included and cannot be read",
}


@click.command("import-ssh-config")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only show what would be added.")
@click.option("--only", multiple=True, metavar="NAME", help="Only this name (may be repeated).")
@click.option("--group", default="", help="What the new hosts are listed under.")
@click.option("--run-match-exec", is_flag=True, help="OpenSSH may run what Match exec says.")
@json_option
def import_ssh_config(
    *,
    file: Path | None,
    dry_run: bool,
    only: tuple[str, ...],
    group: str,
    run_match_exec: bool,
    as_json: bool,
) -> None:
    """Add the hosts of an SSH configuration, by default ~/.ssh/config; none is contacted.

    Hosts that are on the list already, and hosts that Pitwall cannot reach the way the
    configuration says, are added only when --only names them.
    """
    output = Output("hosts", as_json=as_json)

    async def work(application: "Application") -> int:
        service = application.host_imports
        preview = await service.preview(file, run_commands=run_match_exec)
        chosen = _chosen(preview, only)
        added: tuple[HostSnapshot, ...] = ()
        if not dry_run:
            entries = [choice.entry for choice in chosen]
            added = await service.take(entries, group=group.strip())
        document = _document(preview, added, () if dry_run else chosen)
        output.document(document, _text(document, [c.entry.alias for c in chosen], dry_run=dry_run))
        return EXIT_OK

    run_command(output, work)


def _chosen(preview: "ImportPreview", only: tuple[str, ...]) -> list["ImportChoice"]:
    known = {choice.entry.alias for choice in preview.choices}
    if unknown := [name for name in only if name not in known]:
        raise UserInputError(
            ErrorCode.NOT_FOUND,
            {"what": "host", "value": unknown[0]},
            cause=f"{preview.file} has no Host {unknown[0]}.",
            remedy="It names: " + (", ".join(sorted(known)) or "none without wildcards") + ".",
        )
    if only:
        return [choice for choice in preview.choices if choice.entry.alias in only]
    return [choice for choice in preview.choices if choice.is_wanted]


def _document(
    preview: "ImportPreview",
    added: tuple[HostSnapshot, ...],
    chosen: "tuple[()] | list[ImportChoice]",
) -> SshConfigDocument:
    return SshConfigDocument(
        file=str(preview.file),
        by_openssh=preview.by_openssh,
        match_exec=preview.commands,
        entries=tuple(_entry(choice, added=choice in chosen) for choice in preview.choices),
        hosts=tuple(map(host_entry, added)),
    )


def _entry(choice: "ImportChoice", *, added: bool) -> SshConfigEntry:
    entry = choice.entry
    return SshConfigEntry(
        alias=entry.alias,
        host=entry.host,
        port=entry.port,
        user=entry.user,
        identity_files=entry.identity_files,
        proxy=entry.proxy,
        can_connect=entry.can_connect,
        known_as=choice.known_as,
        added=added,
        remarks=tuple(RemarkEntry(code=r.code.value, value=r.value) for r in entry.remarks),
    )


def _text(document: SshConfigDocument, chosen: list[str], *, dry_run: bool) -> str:
    if not document.entries:
        return f"{document.file} names no host without wildcards."
    rows = [
        (
            "+" if entry.alias in chosen else "=" if entry.known_as else "-",
            entry.alias,
            f"{entry.user}@{entry.host}:{entry.port}"
            if entry.user
            else f"{entry.host}:{entry.port}",
            ", ".join(entry.identity_files) or "–",
            "; ".join(_remarks(entry)) or "",
        )
        for entry in document.entries
    ]
    parts = [table(("", "NAME", "WHERE", "KEYS", "NOTES"), rows)]
    if document.match_exec and not document.by_openssh:
        commands = "; ".join(document.match_exec)
        parts.append(
            f"Match exec would run: {commands}\nIt was not run, so Pitwall read the file itself; "
            "--run-match-exec lets OpenSSH decide."
        )
    if dry_run:
        parts.append(f"{len(chosen)} would be added (+); nothing was changed.")
    else:
        parts.append(f"Added {len(document.hosts)}. Next: pitwall hosts test NAME")
    return "\n".join(parts)


def _remarks(entry: SshConfigEntry) -> list[str]:
    known = [f"is on the list as {entry.known_as}"] if entry.known_as else []
    return known + [
        remark_text(Remark(code=RemarkCode(remark.code), value=remark.value))
        for remark in entry.remarks
    ]


def remark_text(remark: Remark) -> str:
    """Return a remark in words."""
    return REMARKS[remark.code].format(value=remark.value)

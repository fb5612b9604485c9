"""``pitwall collector``: the script for hosts that we may not enter."""

import click

from app.cli.context import EXIT_OK, guard
from app.cli.options import json_option
from app.cli.output import Output
from app.core.documents.collector import CollectorDocument


@click.command("collector")
@json_option
def collector_command(*, as_json: bool) -> None:
    """Print a read-only sh script that a customer's administrator can read and run.

    It writes one text file; “pitwall fingerprint --from FILE” reads it. With --redact it hides
    serial numbers, UUIDs, names and addresses behind stand-ins:

    \b
      pitwall collector > pitwall-collector.sh
      sh pitwall-collector.sh --redact -o answers.txt       (on the host)
      pitwall fingerprint --from answers.txt
    """  # noqa: D301 - click wants the sign itself
    output = Output("collector", as_json=as_json)

    def action() -> int:
        from app.services.collector import collector_text

        script = collector_text()
        document = CollectorDocument(script=script, line_count=script.count("\n"))
        output.document(document, script.removesuffix("\n"))
        return EXIT_OK

    raise SystemExit(guard(output, action))

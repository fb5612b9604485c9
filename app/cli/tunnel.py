"""``pitwall tunnel``: an engine's address, key and a ready request on this computer."""

import asyncio
import json
import shlex
from typing import TYPE_CHECKING, Final

import click

from app.cli.connect import Answers
from app.cli.context import run_command
from app.cli.operate import deployment_argument, find_deployment
from app.cli.options import accept_key_option, json_option, password_option
from app.cli.output import Output
from app.core.documents.operate import TunnelDocument
from app.core.errors import ErrorCode, HostError
from app.core.events import DeploymentSnapshot, Event, HostChanged, HostState

if TYPE_CHECKING:
    from app.bootstrap import Application

API_BASE_PATH: Final = "/v1"
"""What clients of the OpenAI API call the base URL ends so."""
_PLACEHOLDER: Final = "$API_KEY"


@click.command("tunnel")
@deployment_argument
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Local port; 0 picks one.")
@click.option("--show-key", is_flag=True, help="Also print the API key that clients must send.")
@accept_key_option
@password_option
@json_option
def tunnel_command(
    *,
    ref: str,
    port: int,
    show_key: bool,
    accept_key: str | None,
    password_stdin: bool,
    as_json: bool,
) -> None:
    """Make a deployment reachable on this computer's loopback until interrupted.

    Prints the base URL for clients of the OpenAI API.
    """
    output = Output("tunnel", as_json=as_json)
    answers = Answers.from_options(accept_key=accept_key, password_stdin=password_stdin)

    async def work(application: "Application") -> int:
        found = await find_deployment(application, ref, answers)
        key = await application.deployments.api_key(found.host_id, found.name)
        local = await application.deployments.open_tunnel(found.host_id, found.name, port)
        url = f"http://127.0.0.1:{local}"
        document = TunnelDocument(
            ref=ref,
            url=url,
            local_port=local,
            api_base=url + API_BASE_PATH,
            model=found.model_name,
            needs_api_key=key is not None,
            api_key=key if show_key else None,
        )
        output.line(document, tunnel_text(document))
        if document.needs_api_key and not show_key:
            output.progress("Clients must send its API key; --show-key prints it.")
        output.progress("Open until you press Ctrl-C.")
        raise await _lost(application, found)

    run_command(output, work)


def tunnel_text(document: TunnelDocument) -> str:
    """Write the base URL alone on the first line, then the key if shown, and a ready request."""
    lines = [document.api_base]
    if document.api_key is not None:
        lines.append(f"API key: {document.api_key}")
    return "\n".join([*lines, f"Try it: {curl_line(document)}"])


def curl_line(document: TunnelDocument) -> str:
    """Write a request for the shell; a key that is not shown stands as ``$API_KEY``."""
    body = {
        "model": document.model,
        "messages": [{"role": "user", "content": "Hello"}],
        "max_tokens": 64,
    }
    words = ["curl", f"{document.api_base}/chat/completions"]
    words += ["-H", shlex.quote("Content-Type: application/json")]
    if document.needs_api_key:
        # In double quotes: the shell has to fill in the key that is not shown.
        words += ["-H", f'"Authorization: Bearer {document.api_key or _PLACEHOLDER}"']
    return " ".join([*words, "-d", shlex.quote(json.dumps(body, ensure_ascii=False))])


async def _lost(application: "Application", found: DeploymentSnapshot) -> HostError:
    """Wait until the host is lost: its tunnels end then, and nobody else would say so."""
    loop, lost = asyncio.get_running_loop(), asyncio.Event()

    def hear(event: Event) -> None:
        if isinstance(event, HostChanged) and event.snapshot.settings.id == found.host_id:
            look()

    def look() -> None:
        if application.hosts.find(found.host_id).state is not HostState.CONNECTED:
            loop.call_soon_threadsafe(lost.set)

    detach = application.bus.subscribe(hear)
    try:
        look()
        await lost.wait()
    finally:
        detach()
    return HostError(
        ErrorCode.CONNECTION_LOST,
        {"host": found.host_name},
        cause=f"The connection to {found.host_name} was lost, and the tunnel with it.",
        remedy="The deployment itself goes on; open the tunnel again when the host is back.",
    )

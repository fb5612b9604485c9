"""The command ``pitwall``: without a command the window, else one of these, loaded when named."""

import importlib
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import click

from app.cli.context import EXIT_INTERRUPTED, EXIT_USAGE, Launchers, guard
from app.cli.output import Output, prepare_stdout
from app.core.errors import ErrorCode, UserInputError

if TYPE_CHECKING:
    from app.core.documents.tour import TourDocument, TourRequest

_COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "hosts": ("app.cli.hosts", "Hosts and their connection settings."),
    "fingerprint": ("app.cli.fingerprint", "Facts of a host, or from what a customer sent."),
    "collector": ("app.cli.collector", "Prints a read-only script for hosts we may not enter."),
    "check": ("app.cli.check", "What is wrong with a host, why it matters and what cures it."),
    "diff": ("app.cli.diff", "What differs between two hosts or deployments, and what it means."),
    "inspect": ("app.cli.inspect", "Recognise and read anything pasted."),
    "estimate": ("app.cli.estimate", "Memory of a model on a GPU, number by number."),
    "plan": ("app.cli.plan", "Choose engine and parameters, with reasons."),
    "deploy": ("app.cli.deploy", "Put a profile onto a host and verify that it serves."),
    "ps": ("app.cli.operate", "What runs where."),
    "logs": ("app.cli.operate", "The log of a deployment."),
    "actuals": ("app.cli.actuals", "Predicted against actual, and what was learned of it."),
    "stop": ("app.cli.operate", "Stop a deployment."),
    "restart": ("app.cli.again", "Stop a deployment and start it again."),
    "rollback": ("app.cli.again", "Put an earlier revision of a deployment in force again."),
    "tunnel": ("app.cli.tunnel", "Reach a deployment from this desktop."),
    "watch": ("app.cli.watch", "Live values as lines."),
    "diagnose": ("app.cli.diagnose", "From a log to the cause and the remedy."),
    "smoke": ("app.cli.smoke", "Ask CUDA itself, inside the engine's own image."),
    "report": ("app.cli.report", "What is handed on: support bundles."),
    "tour": ("app.cli.tour", "Drive the main job on the demo host; pictures into a folder."),
}


class LazyGroup(click.Group):
    """Import a command's module only when it is named: ``--help`` stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the main job."""
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command."""
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(_COMMANDS[cmd_name][0])
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest command when one is not known."""
        name = args[0]
        if name not in _COMMANDS:
            from difflib import get_close_matches

            near = get_close_matches(name, _COMMANDS, n=1)
            hint = f" Did you mean “{near[0]}”?" if near else ""
            ctx.fail(f"No such command “{name}”.{hint}")
        return super().resolve_command(ctx, args)


def _print_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from importlib.metadata import version

    click.echo(f"pitwall {version('pitwall-desk')}")
    ctx.exit()


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version.",
)
@click.pass_context
def pitwall(ctx: click.Context) -> None:
    """Put LLM inference engines onto GPU hosts, see what they do, prove why.

    Without a command the window opens. Exit codes: 0 answered, 1 failed, 2 wrong use, 3 a negative
    verdict, 130 interrupted.
    """
    if ctx.invoked_subcommand is None:
        launchers: Launchers = ctx.obj
        raise SystemExit(guard(Output("window", as_json=False), launchers.open_window))


def run(
    arguments: Sequence[str],
    *,
    open_window: Callable[[], int],
    run_tour: Callable[["TourRequest"], "TourDocument"],
) -> int:
    """Run one command line and return the exit code."""
    prepare_stdout(as_json="--json" in arguments)
    try:
        result = pitwall.main(
            args=list(arguments),
            prog_name=os.environ.get("PITWALL_COMMAND") or "pitwall",
            standalone_mode=False,
            obj=Launchers(open_window=open_window, run_tour=run_tour),
        )
    except click.ClickException as error:
        if "--json" in arguments:
            Output(_schema_name(arguments), as_json=True).failure(_usage(error))
        else:
            error.show()
        return EXIT_USAGE
    except click.Abort:
        return EXIT_INTERRUPTED
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 0
    return result if isinstance(result, int) else 0


def _schema_name(arguments: Sequence[str]) -> str:
    return next((word for word in arguments if word in _COMMANDS), "usage")


def _usage(error: click.ClickException) -> UserInputError:
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = "pitwall" if context is None else context.command_path
    return UserInputError(
        ErrorCode.INVALID_INPUT,
        {"field": "arguments"},
        cause=error.format_message(),
        remedy=f"“{command} --help” lists what it takes.",
    )

"""Answers of ``nvidia-smi`` on the demo host, from recordings and the live GPU rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.io.demo.world import DemoWorld

_RECORDED: Final = {
    ("-L",): "smi-L",
    ("-q",): "smi-q",
    ("-q", "-x"): "smi-q-x",
    ("topo", "-m"): "smi-topo-m",
    ("topo", "-p2p", "r"): "smi-topo-p2p-r",
    ("topo", "-p2p", "n"): "smi-topo-p2p-n",
    ("nvlink", "-s"): "smi-nvlink-s",
    ("mig", "-lgip"): "smi-mig",
    ("--version",): "smi-version",
    (): "smi",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A ``--query-gpu`` call."""

    columns: tuple[str, ...]
    header: bool
    units: bool
    every_s: float | None
    """Pause of ``-lms`` or ``-l``; ``None`` asks once."""


def read_query(arguments: Sequence[str]) -> Query | None:
    """Read the arguments of a ``--query-gpu`` call; ``None`` when it is something else."""
    options: dict[str, str] = {}
    words = iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        options[name] = value if equals else next(words, "")
    if not options.get("--query-gpu"):
        return None
    form = options.get("--format", "csv").split(",")
    millis = options.get("-lms") or options.get("--loop-ms")
    every_s = float(millis) / 1000 if millis else float(options["-l"]) if "-l" in options else None
    return Query(
        columns=tuple(column.strip() for column in options["--query-gpu"].split(",")),
        header="noheader" not in form,
        units="nounits" not in form,
        every_s=every_s,
    )


def answer(world: DemoWorld, arguments: Sequence[str]) -> tuple[int, str]:
    """Return exit code and output of one call that ends."""
    query = read_query(arguments)
    if query is not None:
        try:
            lines = world.gpus.query(query.columns, header=query.header, units=query.units)
        except KeyError as exc:
            return 2, f'Field "{exc.args[0]}" is not a valid field to query.\n\n'
        return 0, "\n".join(lines) + "\n"
    if any(word.startswith("--query-compute-apps") for word in arguments):
        return 0, "\n".join(world.applications()) + "\n"
    name = _RECORDED.get(tuple(arguments))
    recorded = world.recorded(name) if name is not None else None
    if recorded is None:
        return 2, "This call was not recorded.\n"
    return recorded.exit_code or 0, recorded.stdout

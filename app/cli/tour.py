"""``pitwall tour``: the whole main job on the demo host, without a screen."""

from pathlib import Path

import click

from app.cli.context import EXIT_OK, Launchers, guard
from app.cli.options import json_option
from app.cli.output import Output
from app.core.documents.tour import TourDocument, TourRequest


@click.command("tour")
@click.argument("folder", type=click.Path(file_okay=False), metavar="DIR")
@click.option("--lang", type=click.Choice(["en", "zh_CN"]), default="en", show_default=True)
@click.option("--theme", type=click.Choice(["light", "dark"]), default="light", show_default=True)
@json_option
@click.pass_obj
def tour_command(
    launchers: Launchers, /, *, folder: str, lang: str, theme: str, as_json: bool
) -> None:
    """Drive the main job on the demo host; pictures, profile and log go into DIR."""
    output = Output("tour", as_json=as_json)

    def action() -> int:
        request = TourRequest(folder=folder, language=lang, theme=theme, say=output.progress)
        document = launchers.run_tour(request)
        output.document(document, tour_text(document))
        return EXIT_OK

    raise SystemExit(guard(output, action))


def tour_text(document: TourDocument) -> str:
    """Write where everything is."""
    figures = document.figures

    def show(value: float | None, unit: str) -> str:
        return "unknown" if value is None else f"{value:.3g} {unit}"

    measured = ", ".join(
        [
            f"start {show(figures.start_s, 's')}",
            f"TTFT {show(figures.ttft_s, 's')}",
            show(figures.output_tokens_per_s, "tokens/s"),
            f"{figures.requests} requests",
        ]
    )
    return "\n".join(
        [
            "The tour is done. Everything in it is SIMULATED: recorded hardware, simulated engine.",
            *(f"  {Path(document.folder) / picture}" for picture in document.pictures),
            f"profile: {document.profile}",
            f"log:     {document.log}",
            f"figures: {measured}",
        ]
    )

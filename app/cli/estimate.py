"""``pitwall estimate``: the memory picture without a host."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.context import EXIT_NEGATIVE, EXIT_OK, run_command
from app.cli.options import BYTES, COUNT, json_option, read_source
from app.cli.output import Output, table
from app.core.documents.actuals import comparison_entry
from app.core.documents.estimate import EstimateDocument, estimate_document
from app.core.errors import ErrorCode, UserInputError
from app.core.models.limit_texts import limit_text
from app.core.models.prediction import predict
from app.core.units import format_size

if TYPE_CHECKING:
    from app.bootstrap import Application
    from app.core.models.architecture import ModelInfo


@click.command("estimate", context_settings={"ignore_unknown_options": True})
@click.option("--config", help="A config.json (“-” is stdin).")
@click.option("--model", type=click.Path(), help="A model folder or GGUF file on this computer.")
@click.option("--engine", required=True, help="Engine id, for example vllm or llamacpp.")
@click.option("--engine-version", required=True)
@click.option("--gpu", required=True, help="GPU name as nvidia-smi prints it.")
@click.option("--gpu-count", type=int, default=1, show_default=True)
@click.option("--gpu-memory-mib", type=COUNT, help="NVML total per GPU; else from the catalogue.")
@click.option(
    "--weights-bytes", type=BYTES, help="Size of the weights when only a config is there."
)
@click.option(
    "--actual", metavar="LOG", help="Set what this log of a start says beside it (“-” is stdin)."
)
@json_option
@click.argument("engine_flags", nargs=-1, type=click.UNPROCESSED)
def estimate_command(
    *,
    config: str | None,
    model: str | None,
    engine: str,
    engine_version: str,
    gpu: str,
    gpu_count: int,
    gpu_memory_mib: int | None,
    weights_bytes: int | None,
    actual: str | None,
    as_json: bool,
    engine_flags: tuple[str, ...],
) -> None:
    """Say what a model needs on a GPU; engine flags stand after “--”."""
    output = Output("estimate", as_json=as_json)

    async def work(application: "Application") -> int:
        info = await _model(application, config, model)
        estimate = await application.planning.estimate(
            model=info,
            engine=engine,
            version=engine_version,
            gpu_name=gpu,
            gpu_count=gpu_count,
            gpu_memory_mib=gpu_memory_mib,
            weights_bytes=weights_bytes,
            engine_flags=engine_flags,
        )
        document = estimate_document(
            estimate, model=info.name, engine=engine, engine_version=engine_version, gpu=gpu
        )
        if actual is not None:
            prediction = predict(
                estimate, engine=engine, version=engine_version, gpu=gpu, model=info
            )
            startup = application.engines[engine].startup
            said = application.actuals.read_log(await read_source(actual), startup, prediction)
            compared = tuple(map(comparison_entry, application.actuals.comparisons(said)))
            document = replace(document, compared=compared)
        output.document(document, estimate_text(document))
        return EXIT_NEGATIVE if estimate.fits is False else EXIT_OK

    run_command(output, work)


async def _model(application: "Application", config: str | None, model: str | None) -> "ModelInfo":
    if (config is None) == (model is None):
        raise UserInputError(
            ErrorCode.INVALID_INPUT,
            {"field": "config"},
            cause="Either --config or --model is needed, not both.",
            remedy="Give a config.json, or the model's folder or GGUF file.",
        )
    if config is not None:
        name = "stdin" if config == "-" else Path(config).parent.name or Path(config).name
        return application.models.read_config_text(await read_source(config), name)
    return await application.models.read_local(Path(model or ""))


def estimate_text(document: EstimateDocument) -> str:
    """Write the memory picture as a table with its verdict first."""
    match document.fits:
        case True:
            verdict = "fits"
        case False:
            verdict = "does not fit"
        case _:
            verdict = "unknown whether it fits"
    if document.missing_bytes:
        verdict += f", {format_size(document.missing_bytes)} are missing per GPU"
    sizes = (
        ("total", document.total_bytes_per_gpu),
        ("usable by the engine", document.usable_bytes_per_gpu),
        ("weights", document.weights_bytes_per_gpu),
        ("activation", document.activation_bytes),
        ("CUDA graphs", document.cuda_graph_bytes),
        ("non-torch", document.non_torch_bytes),
        ("KV cache", document.kv_cache_bytes_per_gpu),
    )
    rows = [(label, format_size(size, digits=2)) for label, size in sizes]
    rows.append(("KV cache per token", f"{document.kv_bytes_per_token_per_gpu:,} B"))
    rows.append(("KV cache tokens", f"{document.kv_tokens:,}"))
    rows.append(("requests at full context", f"{document.max_concurrency:.2f}"))
    head = (
        f"{document.model} with {document.engine} {document.engine_version}"
        f" on {document.gpu_count} × {document.gpu}: {verdict}"
    )
    notes = [f"note: {limit_text(code).en}" for code in document.limits]
    parts = [head, "", table(("PER GPU", "SIZE"), rows, right=(1,)), *notes]
    if document.compared:
        from app.cli.actuals import compared_text

        parts += ["", compared_text(document.compared)]
    return "\n".join(parts)

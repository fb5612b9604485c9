"""``pitwall estimate``: the memory picture without a host."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.context import guard, run_command
from app.cli.estimate_answer import ANY_GPU, Words, answer
from app.cli.options import COUNT, GPUS, SOME, SOME_BYTES, json_option, read_source, read_text
from app.cli.output import Output
from app.core.errors import ErrorCode, UserInputError
from app.core.models.inverse import Wanted

if TYPE_CHECKING:
    from app.bootstrap import Application
    from app.core.documents.comparison import ComparisonEntry
    from app.core.models.architecture import ModelInfo
    from app.core.models.memory import MemoryEstimate


@click.command("estimate", context_settings={"ignore_unknown_options": True})
@click.option("--config", help="A config.json (“-” is stdin).")
@click.option("--model", type=click.Path(), help="A model folder or GGUF file on this computer.")
@click.option("--engine", required=True, help="Engine id, for example vllm or llamacpp.")
@click.option("--engine-version", required=True)
@click.option("--gpu", required=True, help="GPU name as nvidia-smi prints it; “any” with --sizing.")
@click.option("--gpu-count", type=GPUS, default=1, show_default=True)
@click.option("--gpu-memory-mib", type=SOME, help="NVML total per GPU; else from the catalogue.")
@click.option("--gpu-used-mib", type=COUNT, help="Already taken by what runs, per GPU.")
@click.option(
    "--weights-bytes", type=SOME_BYTES, help="Size of the weights when only a config is there."
)
@click.option(
    "--actual", metavar="LOG", help="Set what this log of a start says beside it (“-” is stdin)."
)
@click.option("--explain", is_flag=True, help="Show the arithmetic and source of each number.")
@click.option(
    "--solve",
    type=click.Choice([one.value for one in Wanted]),
    help="Largest context or concurrency, or fewest GPUs, that fits.",
)
@click.option("--sizing", is_flag=True, help="A table of GPUs × counts, and the smallest enough.")
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
    gpu_used_mib: int | None,
    weights_bytes: int | None,
    actual: str | None,
    explain: bool,
    solve: str | None,
    sizing: bool,
    as_json: bool,
    engine_flags: tuple[str, ...],
) -> None:
    """Say what a model needs on a GPU; engine flags stand after “--”."""
    output = Output("estimate", as_json=as_json)
    sizing = sizing or gpu.lower() == ANY_GPU
    words = Words(
        engine=engine,
        version=engine_version,
        gpu=gpu,
        gpu_count=gpu_count,
        gpu_memory_mib=gpu_memory_mib,
        gpu_used_mib=gpu_used_mib,
        weights_bytes=weights_bytes,
        engine_flags=engine_flags,
        explain=explain,
        solve=solve,
        sizing=sizing,
    )
    if config and model is None and actual is None:
        raise SystemExit(guard(output, lambda: _quick(output, words, config)))

    async def work(application: "Application") -> int:
        info = await _model(application, config, model)
        estimator = await application.planning.learned_estimator()
        said = None if actual is None else await read_source(actual)
        compare = partial(_compared, application, words, info, said) if said is not None else None
        service = application.planning.estimating
        owned = await application.sizing.owned() if words.sizing else None
        return answer(output, words, info, service, estimator, compare=compare, owned=owned)

    run_command(output, work)


def _quick(output: Output, words: Words, config: str) -> int:
    """Answer without the rest of the application."""
    from app.bootstrap.estimating import Estimating

    estimating = Estimating()
    service = estimating.service
    info = service.read_config_text(read_text(config), _name(config))
    owned = estimating.owned() if words.sizing else None
    return answer(output, words, info, service, estimating.learned_estimator(), owned=owned)


def _compared(
    application: "Application",
    words: Words,
    model: "ModelInfo",
    log: str,
    estimate: "MemoryEstimate",
) -> "tuple[ComparisonEntry, ...]":
    from app.core.documents.actuals import comparison_entry
    from app.core.models.prediction import predict

    prediction = predict(
        estimate, engine=words.engine, version=words.version, gpu=words.gpu, model=model
    )
    said = application.actuals.read_log(log, application.engines[words.engine].startup, prediction)
    return tuple(map(comparison_entry, application.actuals.comparisons(said)))


def _name(config: str) -> str:
    return "stdin" if config == "-" else Path(config).parent.name or Path(config).name


async def _model(application: "Application", config: str | None, model: str | None) -> "ModelInfo":
    if (config is None) == (model is None):
        raise UserInputError(
            ErrorCode.INVALID_INPUT,
            {"field": "config"},
            cause="Either --config or --model is needed, not both.",
            remedy="Give a config.json, or the model's folder or GGUF file.",
        )
    if config is not None:
        return application.models.read_config_text(await read_source(config), _name(config))
    return await application.models.read_local(Path(model or ""))

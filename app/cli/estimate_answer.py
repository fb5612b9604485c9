"""What ``pitwall estimate`` answers: one picture, the best value, or a table of hardware."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from app.cli.context import EXIT_NEGATIVE, EXIT_OK
from app.cli.output import Output, table
from app.core.documents.estimate import (
    EstimateDocument,
    SizingDocument,
    SolvedDocument,
    estimate_document,
    sizing_document,
)
from app.core.errors import ErrorCode, UserInputError
from app.core.models.hardware_table import HardwareRow
from app.core.models.inverse import Wanted
from app.core.models.limit_texts import limit_text
from app.core.models.memory import MemoryEstimate
from app.core.units import format_size

if TYPE_CHECKING:
    from app.core.documents.comparison import ComparisonEntry
    from app.core.models.architecture import ModelInfo
    from app.core.planning.sizing import Estimator
    from app.services.estimating import Asked, EstimatingService
    from app.services.owned_hosts import OwnedHosts

ANY_GPU: Final = "any"

Compare = Callable[[MemoryEstimate], "tuple[ComparisonEntry, ...]"]
"""Sets a prediction beside what a log says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words of the command line."""

    engine: str
    version: str
    gpu: str
    gpu_count: int
    gpu_memory_mib: int | None
    gpu_used_mib: int | None
    weights_bytes: int | None
    engine_flags: tuple[str, ...]
    explain: bool
    solve: str | None
    sizing: bool


def answer(
    output: Output,
    words: Words,
    model: "ModelInfo",
    service: "EstimatingService",
    estimator: "Estimator",
    *,
    compare: "Compare | None" = None,
    owned: "OwnedHosts | None" = None,
) -> int:
    """Print the answer and return the exit code: 3 where nothing fits.

    Raises:
        UserInputError: INVALID_INPUT, NOT_FOUND, AMBIGUOUS.
        PlanError: FLAG_UNKNOWN, NOT_FOUND, UNSUPPORTED_COMBINATION.
    """
    _check_question(words)
    asked = service.asked(
        model=model,
        engine=words.engine,
        version=words.version,
        gpu_name=None if words.gpu.lower() == ANY_GPU else words.gpu,
        gpu_count=words.gpu_count,
        gpu_memory_mib=words.gpu_memory_mib,
        weights_bytes=words.weights_bytes,
        engine_flags=words.engine_flags,
    )
    asked = replace(asked, device=replace(asked.device, memory_used_mib=words.gpu_used_mib or 0))
    if words.sizing:
        return _sizing(output, words, asked, service=service, estimator=estimator, owned=owned)
    solution = asked.solve(Wanted(words.solve), estimator) if words.solve else None
    estimate = solution.estimate if solution else asked.estimate(estimator)
    document = estimate_document(
        estimate,
        model=model.name,
        engine=words.engine,
        engine_version=words.version,
        gpu=words.gpu,
        solution=solution,
    )
    if compare is not None:
        document = replace(document, compared=compare(estimate))
    output.document(document, estimate_text(document, explain=words.explain))
    return EXIT_NEGATIVE if document.fits is False else EXIT_OK


def _check_question(words: Words) -> None:
    if words.solve is None or words.gpu.lower() != ANY_GPU:
        return
    raise UserInputError(
        ErrorCode.INVALID_INPUT,
        {"field": "solve", "value": words.solve},
        cause=f"--solve {words.solve} asks about one GPU, and “{ANY_GPU}” names none.",
        remedy="Name a GPU with --gpu, or leave --solve away: the table shows what is enough.",
    )


def _sizing(
    output: Output,
    words: Words,
    asked: "Asked",
    *,
    service: "EstimatingService",
    estimator: "Estimator",
    owned: "OwnedHosts | None",
) -> int:
    from app.core.planning.product_hardware import counted, product_candidates
    from app.services.sizing_answer import sizing_answer

    catalogue = service.catalogue
    any_gpu = words.gpu.lower() == ANY_GPU
    named = product_candidates(catalogue) if any_gpu else counted(asked.device)
    found = sizing_answer(
        asked,
        estimator,
        (*(owned.candidates(catalogue) if owned else ()), *named),
        (Wanted(words.solve),) if words.solve else (),
        service.judge(asked),
    )
    document = sizing_document(
        found.rows,
        model=asked.model.name,
        engine=words.engine,
        engine_version=words.version,
        context_tokens=asked.options.context_tokens or asked.model.architecture.max_context,
        concurrency=asked.options.concurrency or 1,
        solution=next(iter(found.solutions), None),
        unread=owned.unread if owned else (),
    )
    output.document(document, sizing_text(document))
    return EXIT_OK if any(row.meets for row in found.rows) else EXIT_NEGATIVE


def estimate_text(document: EstimateDocument, *, explain: bool = False) -> str:
    """Write the memory picture as a table with its verdict first."""
    match document.fits:
        case True:
            verdict = "fits"
        case False:
            verdict = "does not fit"
        case _:
            verdict = "unknown whether it fits"
    if document.fits == "unknown" and document.missing_bytes:
        verdict += f"; by these figures {format_size(document.missing_bytes)} are missing per GPU"
    elif document.missing_bytes:
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
    notes[:0] = _solved_notes(document.solved)
    if explain:
        notes.extend(_explained(document))
    parts = [head, "", table(("PER GPU", "SIZE"), rows, right=(1,)), *notes]
    if document.compared:
        from app.cli.actuals import compared_text

        parts += ["", compared_text(document.compared)]
    return "\n".join(parts)


def _explained(document: EstimateDocument) -> list[str]:
    lines = [""]
    for basis in document.basis:
        lines.append(f"{basis.quantity} ({basis.method})")
        if basis.formula:
            lines.append(f"  {basis.formula}")
        lines.extend(
            f"  {one.name} = {one.value} {one.unit}".rstrip() + f"  [{one.source}]"
            for one in basis.inputs
        )
        band = document.error_band.get(basis.quantity)
        if band:
            lines.append(f"  ± {band:.1%}")
        lines.append(f"  source: {basis.source}")
    return lines


def _solved_notes(solved: SolvedDocument | None) -> list[str]:
    if solved is None:
        return []
    best = "none fits" if solved.value is None else f"{solved.value:,}"
    return [f"best {solved.wanted}: {best}"]


def sizing_text(document: SizingDocument) -> str:
    """Write the table of hardware; the smallest that is enough has a star."""
    rows = [
        (
            "*" if row.smallest else "",
            _hardware(row) + (f" ({row.dtype})" if row.dtype else ""),
            format_size(row.memory_bytes),
            row.fits if isinstance(row.fits, str) else "yes" if row.fits else "no",
            "yes" if row.meets else "no",
            f"{row.kv_tokens:,}",
            f"{row.max_concurrency:.1f}",
        )
        for row in document.rows
        if row.refused is None
    ]
    requests = "1 request" if document.concurrency == 1 else f"{document.concurrency:,} requests"
    tokens = f"{document.context_tokens:,}" if document.context_tokens else "?"
    head = (
        f"{document.model} with {document.engine} {document.engine_version}: "
        f"{requests} of {tokens} tokens at once, * the smallest that is enough"
    )
    names = ("", "HARDWARE", "MEMORY", "FITS", "ENOUGH", "KV TOKENS", "REQUESTS")
    notes = _solved_notes(document.solved)
    notes += _refused_notes(document)
    notes += [f"note: what is stored of {name} cannot be read" for name in document.unread]
    return "\n".join([head, "", table(names, rows, right=(2, 5, 6)), *notes])


def _hardware(row: HardwareRow) -> str:
    return f"{row.gpu_count} × {row.gpu}" + (f" of {row.owned_by}" if row.owned_by else "")


def _refused_notes(document: SizingDocument) -> list[str]:
    """Say once per reason, with all products that it leaves out."""
    products: dict[str, dict[str, None]] = {}
    for row in document.rows:
        if row.refused is not None:
            why = row.refused.text.en.replace(f" ({row.gpu})", "")  # the name stands in front
            name = row.gpu + (f" of {row.owned_by}" if row.owned_by else "")
            products.setdefault(why, {})[name] = None
    return [f"left out: {', '.join(names)}: {why}" for why, names in products.items()]

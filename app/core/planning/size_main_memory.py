"""Sizing for engines that keep weights and a KV cache of a set size in main memory (vLLM on a CPU).

Left to itself vLLM would take nearly all main memory for its cache; a plan sets aside what the
wanted requests need at full length. Where that does not fit, fewer requests run at once, then the
context becomes shorter.
"""

from dataclasses import dataclass, replace
from typing import Final

from app.core.engines.parameters import Parameters
from app.core.engines.spec import PlanField
from app.core.models.memory import MemoryEstimate
from app.core.models.request import EstimateOptions
from app.core.planning.sizing import (
    Case,
    NotSized,
    Sized,
    Wanted,
    context_reason,
    fewer_reason,
    gib,
    kv_dtype,
    sized_facts,
    too_large,
    wanted,
    weight_dtype,
)
from app.core.units import MIB

_CACHE_STEP: Final = 256 * MIB
_CACHE_TOKENS: Final = 128
"""A request takes whole blocks of this many tokens. Source: vLLM 0.32.0 platforms/cpu.py."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Try:
    context: int
    requests: int
    cache_bytes: int
    estimate: MemoryEstimate

    @property
    def fits(self) -> bool:
        return self.estimate.fits is not False


def size_main_memory(case: Case) -> Sized | NotSized:
    """Find context, requests at once and a KV cache that fit into main memory."""
    aim = wanted(case)
    if isinstance(aim, NotSized):
        return aim
    for context in aim.contexts():
        for requests in aim.concurrencies():
            attempt = _try(case, context, requests)
            if attempt.fits:
                return _sized(case, aim, attempt)
    smallest = _try(case, aim.contexts()[-1], aim.concurrencies()[-1])
    return too_large(case, smallest.estimate, gpus=0, context=smallest.context)


def _try(case: Case, context: int, requests: int) -> _Try:
    options = EstimateOptions(
        context_tokens=context,
        concurrency=requests,
        max_num_seqs=requests,
        kv_dtype=kv_dtype(case)[0],
        dtype=weight_dtype(case)[0],
        enforce_eager=_is_eager(case),
    )
    per_token = case.estimate(None, options).kv_bytes_per_token_per_gpu
    tokens = -(-context // _CACHE_TOKENS) * _CACHE_TOKENS * requests
    own = case.own.whole(PlanField.KV_CACHE_BYTES)
    cache = own or max(1, -(-tokens * per_token // _CACHE_STEP)) * _CACHE_STEP
    estimate = case.estimate(None, replace(options, kv_cache_bytes=cache))
    return _Try(context=context, requests=requests, cache_bytes=cache, estimate=estimate)


def _is_eager(case: Case) -> bool:
    own = case.own.yes(PlanField.ENFORCE_EAGER)
    found = case.wording.default("enforce_eager", case.facts)
    return found is not None and found[0] is True if own is None else own


def _sized(case: Case, aim: Wanted, best: _Try) -> Sized:
    dtype, dtype_reason = weight_dtype(case)
    kv, kv_reason = kv_dtype(case)
    eager = case.wording.default("enforce_eager", case.facts)
    reasons = {
        "context_tokens": context_reason(case, aim, best.context),
        "concurrency": fewer_reason(case, aim, best.requests, "requests_reduced"),
        "kv_cache_bytes": case.reason(
            "kv_main_memory",
            "kv_cache_bytes",
            value=gib(best.cache_bytes),
            requests=best.requests,
            tokens=best.context,
        ),
        "kv_dtype": kv_reason,
        "dtype": dtype_reason,
    }
    if eager is not None:
        reasons["enforce_eager"] = eager[1]
    parameters = Parameters(
        context_tokens=best.context,
        concurrency=best.requests,
        kv_dtype=kv,
        dtype=dtype,
        enforce_eager=_is_eager(case) if eager is not None else None,
        kv_cache_bytes=best.cache_bytes,
    )
    return Sized(
        parameters=parameters,
        estimate=best.estimate,
        choice=None,
        reasons=reasons,
        facts=sized_facts(parameters, best.estimate, None),
    )

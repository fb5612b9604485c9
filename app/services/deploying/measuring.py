"""One request of our own after a start, timed: what this host does with this model, for plans.

One stream says nothing of many at once; it is kept as what it is (concurrency 1).
"""

import asyncio
import logging
from typing import Final, Protocol

from app.core.deployment.answers import ChatAnswer
from app.core.errors import AppError, StoreError
from app.core.speed.load import Load
from app.core.speed.measured import MeasuredRun
from app.services.clock import Clock, utc_text
from app.services.deploying import errors
from app.services.deploying.book import Deployment
from app.services.deploying.requests import EngineRequests

_log = logging.getLogger(__name__)

PROMPT: Final = "Count from one to twenty in words."
TOKENS: Final = 32
LIMIT_S: Final = 15.0
_FEWEST: Final = 8
"""An answer of fewer tokens has too few gaps to speak of."""


class RunKeeper(Protocol):
    """Keeps runs (the speeds service does it)."""

    async def record(self, run: MeasuredRun) -> None:
        """Keep a run.

        Raises:
            StoreError: when it cannot be written.
        """


async def measure_start(
    deployment: Deployment, requests: EngineRequests, keeper: RunKeeper, clock: Clock
) -> None:
    """Time one short streamed answer and keep it; what cannot be measured is no failure.

    Raises:
        HostError: when the host was lost meanwhile.
    """
    spec = deployment.spec
    if deployment.simulated or spec is None or spec.prediction is None or not spec.prediction.model:
        return
    try:
        async with asyncio.timeout(LIMIT_S):
            answer = await requests.chat(PROMPT, max_tokens=TOKENS)
        run = run_of(deployment, answer, at=utc_text(clock.now_s()))
        if run is not None:
            await keeper.record(run)
    except (AppError, TimeoutError) as exc:
        if isinstance(exc, AppError) and exc.code in errors.LOST:
            raise
        what = "kept" if isinstance(exc, StoreError) else "taken"
        _log.info("The time of a first request to %s was not %s: %s", deployment.name, what, exc)


def run_of(deployment: Deployment, answer: ChatAnswer, *, at: str) -> MeasuredRun | None:
    """Return an answer as a run; ``None`` when the engine did not count or said too little."""
    prediction = deployment.spec.prediction if deployment.spec is not None else None
    if prediction is None or answer.ttft_s is None or answer.prompt_tokens is None:
        return None
    tokens = answer.tokens or 0
    if tokens < _FEWEST or answer.total_s <= answer.ttft_s:
        return None
    itl_s = (answer.total_s - answer.ttft_s) / (tokens - 1)
    return MeasuredRun(
        engine=prediction.engine,
        engine_version=prediction.engine_version,
        gpu=prediction.gpu,
        gpu_count=max(prediction.gpu_count, 1),
        model=prediction.model,
        load=Load(prompt_tokens=answer.prompt_tokens, output_tokens=tokens, concurrency=1),
        ttft_s=answer.ttft_s,
        itl_s=itl_s,
        output_tokens_per_s=tokens / answer.total_s,
        at=at,
        source=f"{deployment.host_name}/{deployment.name}, one request after its start",
    )

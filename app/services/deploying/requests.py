"""Ask a running engine: is it healthy, one checking completion, one streamed chat."""

from collections.abc import Mapping
from typing import Final

from app.core.deployment.answers import (
    VERIFY_PROMPT,
    VERIFY_TOKENS,
    ChatAnswer,
    Verdict,
    judge,
)
from app.core.errors import AppError, EngineError, ErrorCode
from app.io.openai_answers import Completion, read_completion, read_error, read_event
from app.services.clock import Clock
from app.services.deploying import errors
from app.services.engine_access import Http, Response
from app.services.streams import ended

HEALTH_S: Final = 3.0
ANSWER_S: Final = 120.0
"""A first completion may compile kernels; engines that load the model by it say how long."""
IDLE_S: Final = 60.0

_CHAT: Final = "/v1/chat/completions"
_TEXT: Final = "/v1/completions"


class EngineRequests:
    """Requests to one engine under one served model name."""

    def __init__(
        self, http: Http, *, engine: str, model: str, clock: Clock, answer_s: float = ANSWER_S
    ) -> None:
        self._http = http
        self._answer_s = answer_s
        self._engine = engine
        self._model = model
        self._clock = clock

    async def is_healthy(self, path: str) -> bool:
        """Tell whether the health check answers 200; only a lost connection is an error."""
        try:
            response = await self._http.get(path, timeout_s=HEALTH_S)
        except AppError as exc:
            if exc.code in errors.LOST:
                raise
            return False
        return response.status == 200

    async def verify(self) -> ChatAnswer:
        """Ask for one greedy completion and return what came; `judge_answer` judges it.

        Raises:
            EngineError: ENGINE_REFUSED_REQUEST, VERIFY_FAILED for what is no completion.
            HostError: when the connection is lost.
        """
        started_s = self._clock.monotonic_s()
        response = await self._ask(VERIFY_PROMPT, max_tokens=VERIFY_TOKENS)
        if response.status != 200:
            raise errors.refused_request(self._engine, response.status, read_error(response.body))
        read = read_completion(response.body)
        if read.error:
            raise errors.refused_request(self._engine, response.status, read.error)
        if not read.understood:
            raise errors.unreadable_answer(self._engine, read_error(response.body))
        return ChatAnswer(
            text=read.text,
            ttft_s=None,
            total_s=self._clock.monotonic_s() - started_s,
            tokens=read.tokens,
            finish_reason=read.finish_reason,
        )

    async def _ask(self, prompt: str, *, max_tokens: int) -> Response:
        """Ask the chat endpoint; a model without a chat template is asked for plain text."""
        response = await self._http.post_json(
            _CHAT,
            self._body(prompt, max_tokens=max_tokens, stream=False, chat=True),
            timeout_s=self._answer_s,
        )
        if response.status not in {400, 404, 500}:
            return response
        plain = await self._http.post_json(
            _TEXT,
            self._body(prompt, max_tokens=max_tokens, stream=False, chat=False),
            timeout_s=self._answer_s,
        )
        return plain if plain.status == 200 else response

    async def chat(self, prompt: str, *, max_tokens: int) -> ChatAnswer:
        """Send a prompt, read the stream to its end.

        Raises:
            EngineError: ENGINE_REFUSED_REQUEST, also when the engine fails in mid-stream.
            HostError: when the connection is lost or the stream falls silent.
        """
        started_s = self._clock.monotonic_s()
        first_s: float | None = None
        texts: list[str] = []
        last = Completion()
        body = self._body(prompt, max_tokens=max_tokens, stream=True, chat=True)
        async with ended(self._http.stream_json(_CHAT, body, idle_timeout_s=IDLE_S)) as events:
            async for payload in events:
                piece = read_event(payload)
                if piece is None:
                    break
                if piece.error:
                    raise errors.refused_request(self._engine, 200, piece.error)
                if piece.text and first_s is None:
                    first_s = self._clock.monotonic_s()
                texts.append(piece.text)
                last = Completion(
                    finish_reason=piece.finish_reason or last.finish_reason,
                    tokens=piece.tokens if piece.tokens is not None else last.tokens,
                    prompt_tokens=piece.prompt_tokens or last.prompt_tokens,
                )
        return ChatAnswer(
            text="".join(texts),
            ttft_s=None if first_s is None else first_s - started_s,
            total_s=self._clock.monotonic_s() - started_s,
            tokens=last.tokens,
            finish_reason=last.finish_reason,
            prompt_tokens=last.prompt_tokens,
        )

    def _body(
        self, prompt: str, *, max_tokens: int, stream: bool, chat: bool
    ) -> Mapping[str, object]:
        body: dict[str, object] = {
            "model": self._model,
            "max_tokens": max_tokens,
            "temperature": 0,
            "stream": stream,
        }
        if chat:
            body["messages"] = [{"role": "user", "content": prompt}]
        else:
            body["prompt"] = prompt
        if stream:
            body["stream_options"] = {"include_usage": True}
        return body


def judge_answer(engine: str, answer: ChatAnswer) -> EngineError | None:
    """Return what is wrong with an answer; ``None`` when it is plausible."""
    verdict = judge(answer.text)
    if verdict is Verdict.PLAUSIBLE:
        return None
    return errors.bad_answer(engine, verdict, answer.text)


def keeps_serving(error: EngineError) -> bool:
    """An engine that answers badly is left running for inspection; a silent one is not."""
    return error.code == ErrorCode.VERIFY_FAILED and error.params.get("verdict") in {
        Verdict.LOOP,
        Verdict.NOISE,
    }

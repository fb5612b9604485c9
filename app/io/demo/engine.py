"""A simulated engine: a real HTTP server on this desk's loopback that answers by a script.

It speaks the OpenAI way with vLLM's shapes, gives the TTFT and ITL it was told to give, and says
in its answers, headers and log that it is simulated. It computes nothing.
"""

import asyncio
import contextlib
import json
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Final, TypeVar

from app.io.demo.engine_log import StartLine, written
from app.io.demo.engine_metrics import EngineMetrics
from app.io.demo.generation import Generator, Request, count_prompt_tokens, is_chinese
from app.io.demo.pace import Pace
from app.io.tasks import end_task

if TYPE_CHECKING:
    from aiohttp import web

    Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

T = TypeVar("T")

LOOPBACK: Final = "127.0.0.1"
DEFAULT_MAX_TOKENS: Final = 128


class SimulatedEngine:
    """One simulated engine; ``await start()``, later ``await stop()``, from one loop."""

    def __init__(
        self,
        *,
        clock: Pace,
        model: str = "simulated-model",
        ttft_s: float = 0.08,
        itl_s: float = 0.01,
        tokens: tuple[str, ...] | None = None,
        start_phases: Iterable[StartLine] = (),
        speed: float = 1.0,
        kv_tokens: int = 2_115_440,
        max_model_len: int = 32768,
        max_running: int = 256,
        version: str = "0.26.0",
        api_key: str | None = None,
        log: Callable[[str], None] = lambda _line: None,
        on_memory: Callable[[float], None] = lambda _share: None,
    ) -> None:
        self.model = model
        self.metrics = EngineMetrics(model=model, kv_tokens=kv_tokens)
        self.ready = asyncio.Event()
        self.port = 0
        self._clock = clock
        self._generator = Generator(
            self.metrics,
            clock=clock,
            ttft_s=ttft_s,
            itl_s=itl_s,
            max_running=max_running,
            tokens=tokens,
        )
        self._phases = tuple(start_phases)
        self._speed = speed
        self._max_model_len = max_model_len
        self._version = version
        self._api_key = api_key
        self._log = log
        self._on_memory = on_memory
        self._runner: web.AppRunner | None = None
        self._starting: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """Base without ``/v1``."""
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def generator(self) -> Generator:
        """What plays requests; scripted visitors use it too."""
        return self._generator

    async def start(self, port: int = 0) -> int:
        """Listen at once (``/health`` says 503); the start phases go on in the background.

        Returns the port. Await `ready` for the end of the phases.
        """
        from aiohttp import web

        self.metrics.started_s = self._clock.now_s()
        self._runner = web.AppRunner(self._application(), access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, LOOPBACK, port, backlog=512)
        await site.start()
        self.port = int(self._runner.addresses[0][1])
        self._starting = asyncio.create_task(self._load(), name=f"simulated start {self.model}")
        return self.port

    async def stop(self) -> None:
        """Close the server and every connection; safe to call twice."""
        starting, self._starting = self._starting, None
        if starting is not None:
            await end_task(starting)
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()
        self.ready.clear()

    async def _load(self) -> None:
        for line in self._phases:
            await self._clock.sleep(line.wait_s / self._speed)
            self._log(written(line, self._clock.now_s()))
            if line.memory_share:
                self._on_memory(line.memory_share)
        self.ready.set()

    def _application(self) -> "web.Application":
        from aiohttp import web

        @web.middleware
        async def guard(request: web.Request, handler: "Handler") -> web.StreamResponse:
            return await self._guard(request, handler)

        application = web.Application(middlewares=[guard])
        application.router.add_get("/health", self._health)
        application.router.add_get("/metrics", self._give_metrics)
        application.router.add_get("/version", self._give_version)
        application.router.add_get("/v1/models", self._give_models)
        application.router.add_post("/v1/chat/completions", self._complete)
        application.router.add_post("/v1/completions", self._complete)
        return application

    async def _guard(self, request: "web.Request", handler: "Handler") -> "web.StreamResponse":
        from aiohttp import web

        if request.path.startswith("/v1/"):
            if not self.ready.is_set():
                return _error(503, "The engine is still loading.", "ServiceUnavailableError")
            given = request.headers.get("Authorization", "")
            if self._api_key is not None and given != f"Bearer {self._api_key}":
                return web.json_response({"error": "Unauthorized"}, status=401)
        response = await handler(request)
        if not response.prepared:
            response.headers["X-Pitwall-Simulated"] = "true"
        return response

    async def _health(self, _request: "web.Request") -> "web.Response":
        from aiohttp import web

        return web.Response(status=200 if self.ready.is_set() else 503)

    async def _give_metrics(self, _request: "web.Request") -> "web.Response":
        from aiohttp import web

        if not self.ready.is_set():
            return web.Response(status=503)
        return web.Response(
            text=self.metrics.render(), headers={"Content-Type": "text/plain; version=1.0.0"}
        )

    async def _give_version(self, _request: "web.Request") -> "web.Response":
        from aiohttp import web

        return web.json_response({"version": self._version})

    async def _give_models(self, _request: "web.Request") -> "web.Response":
        from aiohttp import web

        entry = {
            "id": self.model,
            "object": "model",
            "created": int(self.metrics.started_s),
            "owned_by": "simulated",
            "root": self.model,
            "max_model_len": self._max_model_len,
        }
        return web.json_response({"object": "list", "data": [entry]})

    async def _complete(self, request: "web.Request") -> "web.StreamResponse":
        try:
            body = await request.json()
        except json.JSONDecodeError as exc:
            return _error(400, f"The body is not JSON: {exc}", "BadRequestError")
        asked = _Asked(
            body if isinstance(body, dict) else {},
            is_chat=request.path.endswith("/chat/completions"),
        )
        if asked.model not in ("", self.model):
            text = f"The model `{asked.model}` does not exist. Valid aliases: {self.model}."
            return _error(404, text, "NotFoundError", param="model")
        if asked.max_tokens > self._max_model_len:
            text = (
                f"max_tokens={asked.max_tokens} cannot be greater than "
                f"max_model_len={self._max_model_len}. Please request fewer output tokens."
            )
            return _error(400, text, "BadRequestError", param="max_tokens")
        if asked.prompt_tokens + 1 > self._max_model_len:
            text = f"This model's maximum context length is {self._max_model_len} tokens."
            return _error(400, text, "BadRequestError", param="input_tokens")
        self._log(f'(APIServer pid=1) INFO:     "POST {request.path} HTTP/1.1" 200 OK [simulated]')
        return await (self._stream(request, asked) if asked.stream else self._whole(asked))

    async def _whole(self, asked: "_Asked") -> "web.Response":
        from aiohttp import web

        tokens = [token async for token in self._generator.play(asked.request)]
        text = "".join(token.text for token in tokens)
        message = {"message": {"role": "assistant", "content": text}}
        said: dict[str, object] = dict(message) if asked.is_chat else {"text": text}
        choice = {
            "index": 0,
            **said,
            "logprobs": None,
            "finish_reason": tokens[-1].finish_reason,
        }
        document = self._document(asked.kind, [choice])
        return web.json_response({**document, "usage": asked.usage(len(tokens))})

    async def _stream(self, request: "web.Request", asked: "_Asked") -> "web.StreamResponse":
        from aiohttp import web

        response = web.StreamResponse(
            headers={
                "Content-Type": "text/event-stream; charset=utf-8",
                "X-Pitwall-Simulated": "true",
            }
        )
        await response.prepare(request)
        # A client that left is counted as an abort when the generator is closed.
        with contextlib.suppress(ConnectionResetError):
            async with contextlib.aclosing(self._events(asked)) as events:
                async for event in events:
                    await response.write(b"data: " + event + b"\n\n")
            await response.write_eof()
        return response

    async def _events(self, asked: "_Asked") -> AsyncGenerator[bytes, None]:
        head = self._document(f"{asked.kind}.chunk" if asked.is_chat else asked.kind, [])

        def chunk(said: dict[str, object], reason: str | None) -> bytes:
            choice = {"index": 0, **said, "logprobs": None, "finish_reason": reason}
            return json.dumps({**head, "choices": [choice]}, separators=(",", ":")).encode()

        count = 0
        async with contextlib.aclosing(self._generator.play(asked.request)) as tokens:
            async for token in tokens:
                if token.index == 0 and asked.is_chat:
                    yield chunk({"delta": {"role": "assistant", "content": ""}}, None)
                count += 1
                yield chunk(asked.said(token.text), token.finish_reason)
        if asked.include_usage:
            usage = {**head, "choices": [], "usage": asked.usage(count)}
            yield json.dumps(usage, separators=(",", ":")).encode()
        yield b"[DONE]"

    def _document(self, kind: str, choices: list[dict[str, object]]) -> dict[str, object]:
        return {
            "id": f"chatcmpl-{uuid.uuid4().hex[:16]}",
            "object": kind,
            "created": int(self._clock.now_s()),
            "model": self.model,
            "choices": choices,
            "system_fingerprint": f"simulated-{self._version}",
        }


class _Asked:
    """The parts of a request that matter here; what has the wrong type counts as not given."""

    def __init__(self, body: dict[str, object], *, is_chat: bool) -> None:
        self.is_chat = is_chat
        self.kind = "chat.completion" if is_chat else "text_completion"
        self.model = _as(str, body.get("model"), "")
        self.stream = body.get("stream") is True
        options = body.get("stream_options")
        self.include_usage = isinstance(options, dict) and options.get("include_usage") is True
        limit = body.get("max_completion_tokens", body.get("max_tokens"))
        self.max_tokens = _as(int, limit, DEFAULT_MAX_TOKENS)
        messages = body.get("messages")
        texts = [
            str(message.get("content", ""))
            for message in (messages if isinstance(messages, list) else [])
            if isinstance(message, dict)
        ]
        prompt = "\n".join(texts) if is_chat else str(body.get("prompt", ""))
        self.prompt_tokens = count_prompt_tokens(prompt)
        self.request = Request(
            prompt_tokens=self.prompt_tokens,
            max_tokens=self.max_tokens,
            ignore_end=body.get("ignore_eos") is True,
            is_chinese=is_chinese(prompt),
        )

    def said(self, text: str) -> dict[str, object]:
        """Return the part of a chunk that carries text."""
        return {"delta": {"content": text}} if self.is_chat else {"text": text}

    def usage(self, output_tokens: int) -> dict[str, int]:
        """Return the figures that end an answer."""
        return {
            "prompt_tokens": self.prompt_tokens,
            "total_tokens": self.prompt_tokens + output_tokens,
            "completion_tokens": output_tokens,
        }


def _as(kind: type[T], value: object, default: T) -> T:
    return value if isinstance(value, kind) else default


def _error(status: int, message: str, kind: str, *, param: str | None = None) -> "web.Response":
    from aiohttp import web

    document = {"error": {"message": message, "type": kind, "param": param, "code": status}}
    return web.json_response(document, status=status)

"""How the simulated engine answers: scripted times on an absolute schedule, text of our own.

A request waits while the batch is full, gets its first token after the TTFT and the others one
ITL apart; the metrics count what really happened, so client and server figures can be compared.
"""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Final

from app.io.demo.engine_metrics import EngineMetrics
from app.io.demo.pace import Pace

TEXT: Final = (
    "This answer is simulated: the demo host holds recorded hardware facts and no model."
    " A real engine would read the prompt, keep keys and values of every token in its cache, and"
    " then write one token after another. Here a script waits as long as a measured run did, so"
    " that latency, throughput and memory on the live page move as they would on such a machine."
    " Nothing is computed on a GPU. Choose a host of your own to see a model answer; plan, start,"
    " verify and measure work there in just the same way, with figures that belong to it."
)

TEXT_ZH: Final = (
    "这是模拟回答：演示主机只有录制的硬件信息，没有模型。真正的引擎会读取提示，把每个 t"
    "oken 的 key 和 value 存入 cache，再逐个写出 token。这里"
    "由脚本按实测时间等待，因此实时页上的延迟、吞吐和显存会像在真机上一样变化，但没有任何"
    "计算在 GPU 上进行。要看到模型的回答，请选择自己的主机：规划、启动、验证和测量的"
    "做法完全相同，得到的是那台主机自己的数据。"
)
_FIRST_CHINESE: Final = "\u3400"
_LAST_CHINESE: Final = "\u9fff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One piece of an answer."""

    text: str
    index: int
    finish_reason: str | None = None
    """Set on the last one: ``length`` or ``stop``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a client asks for."""

    prompt_tokens: int
    max_tokens: int
    ignore_end: bool = False
    """Go on to ``max_tokens``, repeating the text, as ``ignore_eos`` asks."""
    is_chinese: bool = False
    """The question has Chinese characters, so the answer is Chinese."""
    ttft_factor: float = 1.0
    """Longer prompts of scripted visitors take longer."""


def answer_tokens(text: str = TEXT) -> tuple[str, ...]:
    """Split a text into pieces as a tokenizer would: words with their leading blank."""
    words = text.split(" ")
    return (words[0], *(f" {word}" for word in words[1:]))


def chinese_tokens(text: str = TEXT_ZH) -> tuple[str, ...]:
    """Split a Chinese text into pieces of two characters, about what a tokenizer does."""
    return tuple(text[start : start + 2] for start in range(0, len(text), 2))


def is_chinese(text: str) -> bool:
    """Tell whether a text has a Chinese character."""
    return any(_FIRST_CHINESE <= character <= _LAST_CHINESE for character in text)


def count_prompt_tokens(text: str) -> int:
    """Guess how many tokens a prompt has: about one per four characters, at least one."""
    return max(1, len(text) // 4)


class Generator:
    """Plays requests against one set of metrics."""

    def __init__(
        self,
        metrics: EngineMetrics,
        *,
        clock: Pace,
        ttft_s: float,
        itl_s: float,
        max_running: int,
        tokens: tuple[str, ...] | None = None,
    ) -> None:
        self.metrics = metrics
        self._clock = clock
        self._ttft_s = ttft_s
        self._itl_s = itl_s
        self._places = asyncio.Semaphore(max_running)
        self._tokens = tokens or answer_tokens()
        self._chinese = tokens or chinese_tokens()

    async def play(self, request: Request) -> AsyncGenerator[Token, None]:
        """Yield the tokens of one request at their times."""
        metrics, asked_s = self.metrics, self._clock.monotonic_s()
        metrics.waiting += 1
        try:
            await self._places.acquire()
        finally:
            metrics.waiting -= 1
        metrics.running += 1
        held = request.prompt_tokens
        metrics.held_tokens += held
        reason = "abort"
        try:
            began_s = self._clock.monotonic_s()
            first_s = last_s = asked_s
            for token in self._answer(request):
                due_s = began_s + self._ttft_s * request.ttft_factor + token.index * self._itl_s
                await self._clock.sleep(max(0.0, due_s - self._clock.monotonic_s()))
                now_s = self._clock.monotonic_s()
                self._count(request, token, now_s - last_s)
                first_s = now_s if token.index == 0 else first_s
                last_s, held = now_s, held + 1
                metrics.held_tokens += 1
                yield token
                reason = token.finish_reason or "abort"
        finally:
            metrics.running -= 1
            metrics.held_tokens -= held
            metrics.finished[reason] += 1
            if reason != "abort":
                metrics.e2e.observe(self._clock.monotonic_s() - asked_s)
                metrics.queue.observe(began_s - asked_s)
                metrics.prefill.observe(first_s - began_s)
                metrics.decode.observe(last_s - first_s)
            self._places.release()

    def _answer(self, request: Request) -> list[Token]:
        tokens = self._chinese if request.is_chinese else self._tokens
        limit, whole = max(1, request.max_tokens), len(tokens)
        count = limit if request.ignore_end else min(limit, whole)
        ends_itself = whole <= limit and not request.ignore_end
        reason = "stop" if ends_itself else "length"
        return [
            Token(
                text=tokens[index % whole],
                index=index,
                finish_reason=reason if index + 1 == count else None,
            )
            for index in range(count)
        ]

    def _count(self, request: Request, token: Token, gap_s: float) -> None:
        metrics = self.metrics
        metrics.output_tokens += 1
        if token.index == 0:
            metrics.prompt_tokens += request.prompt_tokens
            metrics.ttft.observe(gap_s)
        else:
            metrics.itl.observe(gap_s)

"""Long answers of the engine (logs, pulls): a thread and a channel of their own for each."""

import contextlib
import json
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Any, Final, TypeVar

import docker
import docker.errors
import requests
import urllib3.exceptions

from app.io.containers import LogChunk, PullProgress
from app.io.docker import errors
from app.io.docker.http import BASE_URL, Opener, api_client
from app.io.docker.logs import LogDecoder, since_parameter
from app.io.transport.base import Transport
from app.io.transport.feed import Feed
from app.io.transport.host_threads import Call
from app.io.transport.loss import check_not_lost

T = TypeVar("T")

NETWORK_ERRORS = (
    requests.exceptions.RequestException,
    urllib3.exceptions.HTTPError,
    OSError,
    EOFError,
)
_QUEUE_LIMIT = 1000

ENGINE_WORDS: Final = "the container engine"
"""What errors call the other end."""


class EngineStreams:
    """Start streams over one way to the engine."""

    def __init__(self, transport: Transport, opener: Opener, version: str) -> None:
        self._transport = transport
        self._opener = opener
        self._version = version

    async def run(
        self, name: str, produce: Callable[[docker.APIClient], Iterator[T]]
    ) -> AsyncGenerator[T, None]:
        """Yield what ``produce`` yields in a thread; closing the iterator closes its channel."""
        feed: Feed[T] = Feed(_QUEUE_LIMIT)
        call = Call()
        threading.Thread(
            target=self._produce, args=(feed, call, produce), name=f"pitwall-{name}", daemon=True
        ).start()
        items = feed.items()
        try:
            async with contextlib.aclosing(items):
                async for item in items:
                    yield item
        except NETWORK_ERRORS as problem:
            await check_not_lost(self._transport, ENGINE_WORDS, problem)
            raise errors.not_reachable(f"the stream broke: {problem}") from problem
        finally:
            feed.close()
            # Closing a channel may wait: not on the loop.
            threading.Thread(target=call.abort, name=f"pitwall-{name}-end", daemon=True).start()

    def _produce(
        self, feed: Feed[T], call: Call, produce: Callable[[docker.APIClient], Iterator[T]]
    ) -> None:
        try:
            with call:
                api = api_client(self._opener, version=self._version, keep_alive=False)
                with contextlib.closing(api):
                    for item in produce(api):
                        if not feed.put(item):
                            return
        except Exception as problem:  # noqa: BLE001 - the reader gets it; else it waits for ever
            feed.finish(problem)
        else:
            feed.finish()


def read_logs(
    api: docker.APIClient, container: str, *, follow: bool, tail: int | None, since: str | None
) -> Iterator[LogChunk]:
    """Yield the lines of a container's log. Blocking.

    Raises:
        DockerError: CONTAINER_NOT_FOUND, DOCKER_REFUSED.
    """
    try:
        tty = bool(api.inspect_container(container)["Config"].get("Tty"))
        answer = api.get(
            f"{BASE_URL}/v{api.api_version}/containers/{container}/logs",
            params={
                "stdout": "1",
                "stderr": "1",
                "timestamps": "1",
                "follow": "1" if follow else "0",
                "tail": "all" if tail is None else str(tail),
                **({"since": since_parameter(since)} if since else {}),
            },
            stream=True,
            timeout=(api.timeout, None if follow else api.timeout),
        )
        with answer:
            _raise_for_status(answer)
            decoder = LogDecoder(tty=tty)
            for data in answer.iter_content(chunk_size=None):
                yield from decoder.feed(data)
            yield from decoder.finish()
    except docker.errors.APIError as problem:
        raise errors.refusal(problem, container) from problem


def _raise_for_status(answer: requests.Response) -> None:
    try:
        answer.raise_for_status()
    except requests.HTTPError as problem:
        docker.errors.create_api_error_from_http_exception(problem)


def read_pull(api: docker.APIClient, reference: str) -> Iterator[PullProgress]:
    """Fetch an image and yield how far it is. Blocking.

    Raises:
        DockerError: PULL_FAILED.
    """
    progress = _PullCounter()
    try:
        messages = api.pull(reference, stream=True, decode=True)
        for message in messages:
            if "error" in message:
                raise errors.pull_failed(reference, str(message["error"]))
            yield progress.add(message)
    except docker.errors.APIError as problem:
        text = str(problem.explanation or problem)
        raise errors.pull_failed(reference, text) from problem
    except docker.errors.DockerException as problem:  # a reference that is none, credentials
        raise errors.pull_failed(reference, str(problem)) from problem
    except json.JSONDecodeError as problem:
        raise errors.pull_failed(reference, "the answer was cut off") from problem


class _PullCounter:
    """Add up the layers; a layer's size is known once its download begins."""

    def __init__(self) -> None:
        self._layers: dict[str, tuple[int, int | None]] = {}

    def add(self, message: dict[str, Any]) -> PullProgress:
        layer, status = message.get("id"), str(message.get("status", ""))
        detail = message.get("progressDetail") or {}
        if layer and status == "Pulling fs layer":
            self._layers.setdefault(layer, (0, None))
        elif layer and status == "Downloading":
            self._layers[layer] = (int(detail.get("current", 0)), detail.get("total"))
        elif layer in self._layers and status in {"Download complete", "Pull complete"}:
            done, total = self._layers[layer]
            self._layers[layer] = (total or done, total or done)
        totals = [total for _, total in self._layers.values()]
        return PullProgress(
            status=status,
            done_bytes=sum(done for done, _ in self._layers.values()),
            total_bytes=None
            if not totals or None in totals
            else sum(total for total in totals if total is not None),
        )

"""Use a stream and end it at once when leaving, also when it was not read to its end."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

T = TypeVar("T")


@asynccontextmanager
async def ended(stream: AsyncIterator[T]) -> AsyncIterator[AsyncIterator[T]]:
    """Close ``stream`` on leaving; a generator left open would hold its channel until collected."""
    try:
        yield stream
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()

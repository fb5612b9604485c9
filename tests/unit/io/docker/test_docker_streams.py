"""Streams of the container engine end with an error, whatever broke below."""

import asyncio

import pytest

from app.io.docker.streams import EngineStreams
from app.io.transport.local import LocalTransport


async def test_unexpected_error_reaches_the_reader_instead_of_letting_it_wait():
    def produce(_api):
        yield "first"
        raise ValueError("read of closed file")

    transport = LocalTransport()
    items = EngineStreams(transport, lambda _timeout_s: None, "1.41").run("logs", produce)
    async with asyncio.timeout(10):
        assert await anext(items) == "first"
        with pytest.raises(ValueError, match="closed file"):
            await anext(items)
    await transport.close()

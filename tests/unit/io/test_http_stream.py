"""Streams of an engine end with an error, whatever broke below."""

import asyncio

import pytest

from app.io.http_client import EngineHttp


class OddChannel:
    """A channel that breaks in a way nobody expects."""

    def sendall(self, data):
        pass

    def recv(self, _size):
        raise ValueError("read of closed file")

    def settimeout(self, timeout_s):
        pass

    def close(self):
        pass


class OddTransport:
    def open_tcp(self, _address, _port, *, timeout_s):
        assert timeout_s > 0
        return OddChannel()


async def test_unexpected_error_reaches_the_reader_instead_of_letting_it_wait():
    http = EngineHttp(OddTransport(), 8000)
    async with asyncio.timeout(10):
        with pytest.raises(ValueError, match="closed file"):
            async for _payload in http.stream_json("/v1/x", {}, idle_timeout_s=5):
                pass

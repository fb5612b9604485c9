"""Channels of every kind over one paramiko connection.

paramiko packs the extra fields of an open request only for the kinds it knows, and keeps one
shared "last exception" for refusals. So the request is built here for all kinds, with internals
as of paramiko 4.0 to 5.1 (`tests/unit/io/transport/test_paramiko_internals.py` guards them), and
each refusal is kept with its channel.
"""

import logging
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import paramiko
from paramiko.common import cMSG_CHANNEL_OPEN
from paramiko.packet import Packetizer

_log = logging.getLogger(__name__)

ADMINISTRATIVELY_PROHIBITED = 1
"""Reason code of a refused channel: the server's settings forbid it (RFC 4254, 5.1)."""


class ChannelRefusedError(Exception):
    """The server refused to open a channel."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class _WatchedPacketizer(Packetizer):
    """Remembers when the last packet came: the proof that the other side lives."""

    last_read_s = 0.0

    def read_message(self) -> tuple[int, paramiko.Message]:
        kind, message = super().read_message()
        self.last_read_s = time.monotonic()
        return kind, message


class WatchedTransport(paramiko.Transport):
    """A connection that knows why channels were refused and when it last heard anything."""

    def __init__(self, connected: socket.socket) -> None:
        super().__init__(connected, packetizer_class=_WatchedPacketizer)
        self.refusals: dict[int, ChannelRefusedError] = {}
        self._abandoned: set[int] = set()
        self.set_log_channel(_quiet_logger().name)

    @property
    def last_heard_s(self) -> float:
        """When the last packet came (`time.monotonic`)."""
        packetizer = self.packetizer
        return packetizer.last_read_s if isinstance(packetizer, _WatchedPacketizer) else 0.0

    def _parse_channel_open_failure(self, m: paramiko.Message) -> None:
        copy = paramiko.Message(m.get_remainder())
        chanid, code, text = copy.get_int(), copy.get_int(), copy.get_text()
        self.refusals[chanid] = ChannelRefusedError(code, text)
        super()._parse_channel_open_failure(m)  # type: ignore[misc]  # not in the stubs

    def _parse_channel_open_success(self, m: paramiko.Message) -> None:
        chanid = paramiko.Message(m.get_remainder()).get_int()
        super()._parse_channel_open_success(m)  # type: ignore[misc]  # not in the stubs
        if chanid in self._abandoned:  # came after its deadline: give it back
            self._abandoned.discard(chanid)
            self._inner()._channels.get(chanid).close()  # noqa: SLF001 - our own base class

    def open_kind(self, kind: str, fields: tuple[str | int, ...], timeout_s: float) -> "SshChannel":
        """Open a channel of any kind with its extra fields.

        Raises:
            ChannelRefusedError: The server said no.
            TimeoutError: It said nothing.
            EOFError: The connection ended.
        """
        chan, event = self._register()
        m = paramiko.Message()
        m.add_byte(cMSG_CHANNEL_OPEN)
        m.add_string(kind)
        m.add_int(chan.chanid)
        m.add_int(self.default_window_size)
        m.add_int(self.default_max_packet_size)
        for field in fields:
            if isinstance(field, int):
                m.add_int(field)
            else:
                m.add_string(field)
        self._inner()._send_user_message(m)  # noqa: SLF001 - our own base class
        self._wait_open(chan, event, timeout_s)
        return SshChannel(chan)

    def _register(self) -> tuple[paramiko.Channel, threading.Event]:
        inner = self._inner()
        with self.lock:
            chanid = inner._next_channel()  # noqa: SLF001 - our own base class
            chan = paramiko.Channel(chanid)
            inner._channels.put(chanid, chan)  # noqa: SLF001 - our own base class
            event = self.channel_events[chanid] = threading.Event()
            self.channels_seen[chanid] = True
            link: Any = chan
            link._set_transport(self)  # noqa: SLF001 - what open_channel does
            link._set_window(  # noqa: SLF001 - what open_channel does
                self.default_window_size, self.default_max_packet_size
            )
        return chan, event

    def _inner(self) -> Any:  # noqa: ANN401 - names the type stubs leave out
        return self

    def _wait_open(self, chan: paramiko.Channel, event: threading.Event, timeout_s: float) -> None:
        deadline = time.monotonic() + timeout_s
        while not event.wait(min(0.1, max(0.0, deadline - time.monotonic()))):
            if not self.is_active():
                raise EOFError
            if time.monotonic() >= deadline:
                self._abandoned.add(chan.chanid)
                msg = "the host did not answer an open request"
                raise TimeoutError(msg)
        refusal = self.refusals.pop(chan.chanid, None)
        if refusal is not None:
            raise refusal
        if not self.is_active():
            raise EOFError


class SshChannel:
    """A paramiko channel as a blocking byte stream."""

    def __init__(self, inner: paramiko.Channel) -> None:
        self.inner = inner

    def sendall(self, data: bytes, /) -> None:
        """Send everything or raise ``OSError``."""
        self.inner.sendall(data)

    def recv(self, size: int, /) -> bytes:
        """Return up to ``size`` bytes; ``b""`` at the end."""
        return self.inner.recv(size)

    def settimeout(self, timeout_s: float | None, /) -> None:
        """Set the limit of each following call."""
        self.inner.settimeout(timeout_s)

    def shutdown_write(self) -> None:
        """Say that nothing more will be sent; reading goes on."""
        self.inner.shutdown_write()

    def is_open(self) -> bool:
        """False when the other side has closed."""
        return not (self.inner.closed or self.inner.eof_received)

    def close(self) -> None:
        """Close both directions; wakes a blocked reader."""
        self.inner.close()


class SessionChannel(SshChannel):
    """A command's stdin and stdout as one stream; gives its session back when closed."""

    def __init__(self, inner: paramiko.Channel, on_closed: Callable[[], None]) -> None:
        super().__init__(inner)
        self._on_closed = on_closed

    def close(self) -> None:
        """Close the stream; without input and output the command ends."""
        super().close()
        self._on_closed()


class _AsDebug(logging.Filter):
    """paramiko logs refusals and lost connections as errors; here they are raised instead."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.levelno, record.levelname = logging.DEBUG, "DEBUG"
        return _log.isEnabledFor(logging.DEBUG)


def _quiet_logger() -> logging.Logger:
    logger = logging.getLogger(f"{__name__}.paramiko")
    if not any(isinstance(known, _AsDebug) for known in logger.filters):
        logger.addFilter(_AsDebug())
    return logger

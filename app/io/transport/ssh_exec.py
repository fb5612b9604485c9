"""Read a command's two outputs and feed its input over one SSH channel, in one thread."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import paramiko

_PIECE_BYTES = 65536
_EXIT_WAIT_S = 5.0
_INPUT_TURN_S = 0.02
"""While input waits for room: nothing tells when the host takes more."""


@dataclass(slots=True)
class Limited:
    """Bytes up to a limit; the rest is counted as cut."""

    limit: int
    kept: bytearray
    cut: bool = False

    def add(self, data: bytes) -> None:
        """Keep what fits."""
        room = self.limit - len(self.kept)
        self.kept += data[:room]
        self.cut = self.cut or len(data) > room


def pump(
    chan: paramiko.Channel,
    *,
    stdin: bytes,
    on_stdout: Callable[[bytes], bool],
    on_stderr: Callable[[bytes], object],
    deadline_s: float | None,
) -> int:
    """Move bytes until the command's outputs end; return its exit code, -1 when it left none.

    Args:
        chan: A channel on which a command was started.
        stdin: Its whole input; closed after it (kept open when empty, for the watcher).
        on_stdout: Gets output as it comes; False stops reading.
        on_stderr: Gets errors as they come.
        deadline_s: `time.monotonic` value, or ``None`` for a stream without end.

    Raises:
        TimeoutError: The deadline passed.
    """
    waiting_input = memoryview(stdin)
    wake = _Wake()
    chan.in_buffer.set_event(wake)
    chan.in_stderr_buffer.set_event(wake)
    while True:
        wake.rest()
        waiting_input = _send(chan, waiting_input, finish=bool(stdin))
        if not _drain(chan, on_stdout, on_stderr):
            return -1
        if _is_at_end(chan):
            break
        left = _left(deadline_s)
        wake.wait(_INPUT_TURN_S if waiting_input else left)
    limit = _EXIT_WAIT_S if deadline_s is None else max(0.0, deadline_s - time.monotonic())
    if not chan.status_event.wait(limit):
        msg = "the command's outputs ended, it did not"
        raise TimeoutError(msg)
    return chan.exit_status


class _Wake(threading.Event):
    """Set when either output has something new or ends; the reader alone takes it back.

    Not `Channel.fileno`: closing the channel elsewhere closes that pipe under a waiting select.
    """

    def clear(self) -> None:
        """Called by each buffer when it is empty; the other one may not be."""

    def rest(self) -> None:
        """Wait for news from now on."""
        super().clear()


def _is_at_end(chan: paramiko.Channel) -> bool:
    has_more = chan.recv_ready() or chan.recv_stderr_ready()
    return bool(chan.eof_received or chan.closed) and not has_more


def _drain(
    chan: paramiko.Channel,
    on_stdout: Callable[[bytes], bool],
    on_stderr: Callable[[bytes], object],
) -> bool:
    while chan.recv_stderr_ready():
        on_stderr(chan.recv_stderr(_PIECE_BYTES))
    while chan.recv_ready():
        if not on_stdout(chan.recv(_PIECE_BYTES)):
            return False
    return True


def _send(chan: paramiko.Channel, data: memoryview, *, finish: bool) -> memoryview:
    """Send what the window takes without waiting; close the input after the last byte."""
    while data and chan.send_ready():
        try:
            sent = chan.send(bytes(data[:_PIECE_BYTES]))
        except OSError:  # the command ended without reading it all
            return data[:0]
        data = data[sent:] if sent else data[:0]
    if finish and not data and not chan.eof_sent and not chan.closed:
        chan.shutdown_write()
    return data


def _left(deadline_s: float | None) -> float | None:
    if deadline_s is None:
        return None
    left = deadline_s - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left

"""Read a command's two outputs and feed its input over one SSH channel, in one thread."""

import selectors
import time
from collections.abc import Callable
from dataclasses import dataclass

import paramiko

_PIECE_BYTES = 65536
_EXIT_WAIT_S = 5.0


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
    with selectors.DefaultSelector() as selector:
        selector.register(chan.fileno(), selectors.EVENT_READ)
        while True:
            waiting_input = _send(chan, waiting_input, finish=bool(stdin))
            if not _drain(chan, on_stdout, on_stderr):
                return -1
            if chan.eof_received and not (chan.recv_ready() or chan.recv_stderr_ready()):
                break
            if chan.closed and not (chan.recv_ready() or chan.recv_stderr_ready()):
                break
            left = _left(deadline_s)
            selector.select(min(0.05, left or 0.05) if waiting_input else left)
    limit = _EXIT_WAIT_S if deadline_s is None else max(0.0, deadline_s - time.monotonic())
    if not chan.status_event.wait(limit):
        msg = "the command's outputs ended, it did not"
        raise TimeoutError(msg)
    return chan.exit_status


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

"""What all view-models share: calls whose futures they own, and errors as values."""

import logging
import traceback
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from functools import partial
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

from app.core.errors import AppError, ErrorCode, ErrorInfo
from app.ui.bridge import CoreBridge

T = TypeVar("T")

_log = logging.getLogger(__name__)


def error_info(error: BaseException) -> ErrorInfo:
    """Return an error as a value; what nobody expected becomes INTERNAL with its trace."""
    if isinstance(error, AppError):
        return error.info
    _log.error("Unexpected error in a call from the window", exc_info=error)
    return ErrorInfo(
        code=ErrorCode.INTERNAL,
        params={"type": type(error).__name__},
        cause=f"Something inside Pitwall failed: {type(error).__name__}.",
        remedy="Try again; if it happens again, report it with the details.",
        details="".join(traceback.format_exception(error)),
    )


class ViewModel(QObject):
    """Own the calls of one page; ``dispose()`` cancels what still runs."""

    failed = Signal(object)
    """An `ErrorInfo` nobody else took."""
    busy_changed = Signal(bool)

    def __init__(self, bridge: CoreBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.bridge = bridge
        self._futures: set[Future[Any]] = set()
        self._disposed = False

    @property
    def is_busy(self) -> bool:
        """True while a call of this view-model runs."""
        return bool(self._futures)

    def run(
        self,
        work: Coroutine[Any, Any, T],
        on_result: Callable[[T], None] | None = None,
        on_error: Callable[[ErrorInfo], None] | None = None,
        on_cancel: Callable[[], None] | None = None,
    ) -> Future[T]:
        """Run ``work`` on the core loop; exactly one of the callbacks follows, on this thread.

        Without ``on_error`` the error goes out as `failed`. Cancelling is not an error.
        """
        finish = partial(self._finish, on_result, on_error, on_cancel)
        # The set is filled before the queued answer can arrive: both happen on this thread.
        future = self.bridge.call(work, finish)
        self._futures.add(future)
        if len(self._futures) == 1:
            self.busy_changed.emit(True)
        return future

    def cancel_all(self) -> None:
        """Cancel every call that runs."""
        for future in tuple(self._futures):
            future.cancel()

    def dispose(self) -> None:
        """Cancel what runs and ignore whatever still arrives."""
        self._disposed = True
        self.cancel_all()
        self._futures.clear()

    def _finish(
        self,
        on_result: Callable[[T], None] | None,
        on_error: Callable[[ErrorInfo], None] | None,
        on_cancel: Callable[[], None] | None,
        future: Future[T],
    ) -> None:
        if self._disposed:
            return
        self._futures.discard(future)
        if not self._futures:
            self.busy_changed.emit(False)
        self._answer(on_result, on_error, on_cancel, future)

    def _answer(
        self,
        on_result: Callable[[T], None] | None,
        on_error: Callable[[ErrorInfo], None] | None,
        on_cancel: Callable[[], None] | None,
        future: Future[T],
    ) -> None:
        try:
            result = future.result()  # finished: this does not wait
        except CancelledError:
            if on_cancel is not None:
                on_cancel()
        except Exception as exc:  # noqa: BLE001 - the outermost handler of a call
            info = error_info(exc)
            if info.code is ErrorCode.CANCELLED:
                if on_cancel is not None:
                    on_cancel()
            elif on_error is not None:
                on_error(info)
            else:
                self.failed.emit(info)
        else:
            if on_result is not None:
                on_result(result)

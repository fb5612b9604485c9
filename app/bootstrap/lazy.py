"""A service that is made when it is first asked for: most commands need few of them."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Lazy(Generic[T]):
    """Make one object at the first call, from whatever thread, and give it ever after."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: T | None = None

    @property
    def made(self) -> T | None:
        """What was made, without making it."""
        return self._made

    def __call__(self) -> T:
        """Return the object."""
        if self._made is None:
            with self._lock:
                if self._made is None:
                    self._made = self._make()
        return self._made

"""What is made in a thread of its own, while its owner goes on."""

from __future__ import annotations

from concurrent.futures import Future
from threading import Lock, Thread
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Later(Generic[T]):
    """Call *make* once, when ``begin`` or ``result`` is called first."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make, self._future, self._lock = make, Future[T](), Lock()
        self.begun = False

    def begin(self) -> None:
        """Have it made; returns at once."""
        with self._lock:
            if not self.begun:
                self.begun = True
                # A daemon: who leaves does not wait for what nobody will use.
                Thread(target=self._run, daemon=True).start()

    def result(self) -> T:
        """What was made; waits for it, and raises what *make* raised."""
        self.begin()
        return self._future.result()

    def _run(self) -> None:
        try:
            self._future.set_result(self._make())
        except BaseException as error:  # noqa: BLE001 - for the one who asks for it
            self._future.set_exception(error)

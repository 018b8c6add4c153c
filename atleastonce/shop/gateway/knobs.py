"""How the provider misbehaves: the lab turns knobs, each request reads them once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Event, Lock
from typing import Any

KINDS: dict[str, tuple[type, ...]] = {
    "delay": (int, float),
    "hang": (bool,),
    "status": (int,),
    "retry_after": (int,),
    "lose_replies": (int,),
    "times": (int, type(None)),
}


@dataclass(frozen=True)
class Knobs:
    """What happens to the next ``POST /charges``.

    Attributes:
        delay: seconds to wait before the charge is made.
        hang: make the charge, and do not answer until the knobs are turned again.
        status: answer with it (such as 429 or 500) and charge nothing; 0: charge.
        retry_after: seconds that such an answer's ``Retry-After`` says; 0: none.
        lose_replies: for so many requests, drop the connection in place of the answer.
        times: how many requests ``delay``, ``hang`` and ``status`` hit; None: all.
    """

    delay: float = 0.0
    hang: bool = False
    status: int = 0
    retry_after: int = 0
    lose_replies: int = 0
    times: int | None = None

    @classmethod
    def parse(cls, found: Any) -> Knobs:  # noqa: ANN401 - any JSON
        """Read them from JSON.

        Raises:
            ValueError: a name is unknown, or a value of the wrong kind or negative.
        """
        if not isinstance(found, dict) or found.keys() - KINDS.keys():
            raise ValueError(f"knobs are an object of {', '.join(KINDS)}")
        for name, value in found.items():
            if type(value) not in KINDS[name] or (value or 0) < 0:
                raise ValueError(f"the knob {name} can't be {value!r}")
        return cls(**found)

    def after_one(self) -> Knobs:
        """What is left of them when one request was hit."""
        lost = max(0, self.lose_replies - 1)
        if self.times is None:
            return replace(self, lose_replies=lost)
        if self.times > 1:
            return replace(self, lose_replies=lost, times=self.times - 1)
        return Knobs(lose_replies=lost)


class Board:
    """The knobs as they stand now."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._now = Knobs()
        self._healed = Event()

    def turn(self, knobs: Knobs) -> None:
        """Set all of them; with ``hang`` off, requests that hang are answered."""
        with self._lock:
            self._now = knobs
            if not knobs.hang:
                self._healed.set()
                self._healed = Event()

    def take(self) -> tuple[Knobs, Event]:
        """What hits this request, and the event that ends its hang."""
        with self._lock:
            taken, self._now = self._now, self._now.after_one()
            return taken, self._healed

"""Looking from outside: who says what of a message, and how old the oldest one is."""

from __future__ import annotations

import json
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from atleastonce.sentry import Sentry
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from celery.result import AsyncResult

    from atleastonce.lab import Lab

#: Where ``shop.hearing`` notes Celery's signals.
HEARD = "heard"
#: The header of a stamped message: seconds on the machine's monotonic clock.
STAMP = "published"


class Witnesses:
    """What Celery's states, its signals and Sentry say of one message.

    Attributes:
        sentry: the receiver; workers need its ``dsn``.

    Args:
        lab: whose workers have called ``shop.hearing.hear``.
    """

    def __init__(self, lab: Lab) -> None:
        self._lab, self.sentry = lab, Sentry()

    def of(
        self,
        send: Callable[[], AsyncResult[Any]],
        look: Callable[[], AsyncResult[Any]],
        over: Callable[[], object] | None = None,
        **knobs: Any,  # noqa: ANN401 - see Gateway.knobs
    ) -> dict[str, object]:
        """Send one message to a provider with *knobs*; what came of it, by witness.

        Args:
            send: publishes it.
            look: publishes a task that does nothing. Where a pool process was lost, it
                runs in the next one, and all is said of the last one.
            over: when the message is through; default: when nothing is left to do.
            **knobs: of the gateway, healed afterwards.
        """
        store = self._lab.redis.client(2)
        self._lab.gateway.clear()
        self._lab.gateway.knobs(**knobs)
        self.sentry.clear()
        store.delete(HEARD)
        message = send()
        self._lab.wait(over)
        heard: Any = store.lrange(HEARD, 0, -1)
        look().get(timeout=15)
        # Its result is there before its signal: that would be said of the next one.
        wait_until(
            lambda: store.llen(HEARD) > len(heard),
            timeout=15.0,
            what="a task that does nothing to be heard of",
        )
        self._lab.gateway.knobs()
        return {
            "charged": len(self._lab.gateway.charges()),
            "state": message.state,
            "signals": counted(heard),
            "Sentry": counted(self.sentry.events()),
        }


def counted(found: Iterable[str]) -> str:
    """Such as ``log, 2 x failure (main)``; what follows a colon is left out."""
    kinds = Counter(text.partition(":")[0] for text in sorted(found))
    parts = [f"{n} x {kind}" if n > 1 else kind for kind, n in kinds.items()]
    return ", ".join(parts) or "-"


def stamp(headers: dict[str, Any], **_: object) -> None:
    """A receiver of ``before_task_publish``: notes the time in the message."""
    headers[STAMP] = time.monotonic()


def age(lab: Lab, queue: str) -> float:
    """Seconds since the message was published that is taken next; 0 if none waits."""
    row: Any = lab.redis.client().lindex(queue, -1)
    return time.monotonic() - json.loads(row)["headers"][STAMP] if row else 0.0

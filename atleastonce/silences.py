"""Nights of a shop in which something is silent, or nothing: run live, told in numbers.

A ``Night`` ticks real beats, publishes real orders and strikes real workers, slot by
slot; after each slot it takes one ``snapshot`` of what monitoring could see.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from atleastonce.kernel import drop
from atleastonce.nights import NIGHTS, SLOTS
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from atleastonce.lab import Lab
    from atleastonce.nights import Settled
    from atleastonce.workers.broker import Backlog

Snapshot = dict[str, Any]
MODULE = "atleastonce.shop.watched"
_COUNTS = ("succeeded", "failed", "retried", "unknown", "rejected", "refused")
_BEAT = {"task": f"{MODULE}.heartbeat", "schedule": 60}


class Night:
    """A shop with one worker, two beats of which one is spare, and a provider.

    Args:
        lab: where it runs; its workers are replaced by the night's own.
    """

    def __init__(self, lab: Lab) -> None:
        self._lab, self._slot, self._order = lab, 0, 0
        lab.reset()
        # What it had declared is gone with the keys.
        drop(lab.app)
        self._redis = lab.redis.client(2)
        # It starts while the beats do; ``settle`` waits for it.
        self._work(wait=False)
        self._beats = [lab.beat(heartbeat=_BEAT) for _ in range(2)]

    def _work(self, *, wait: bool = True) -> None:
        [self._worker] = self._lab.fleet.start(include=(MODULE,), wait=wait)

    def history(self, name: str) -> list[Snapshot]:
        """Run the night *name*: one snapshot for each of its four slots, oldest first.

        Raises:
            KeyError: there is no such night.
        """
        scene = NIGHTS[name]
        self._begin()
        history = []
        for number in range(SLOTS):
            settled = scene(self, number)
            self.settle(settled)
            history.append(self._snapshot())
            self._slot += 1
        self._end()
        return history

    def _begin(self) -> None:
        self._redis.flushdb()
        self._redis.hset("heartbeat", mapping={"slot": self._slot - 1, "runs": 0})
        self._placed, self._sent = 0, 0
        self._first_seen: dict[str, int] = {}
        self._lab.gateway.clear()

    def settle(self, settled: Settled) -> None:
        """A slot is a minute, and ours is not: wait until all is done that will be."""
        if settled:
            wait_until(settled, timeout=15.0, what=f"slot {self._slot} to settle")
        elif self._worker.alive:
            self._lab.fleet.quiet(15.0, abandoned=True)

    def _end(self) -> None:
        """Heal what was struck, and be rid of what was left."""
        self.knobs()
        self.start()
        if set(self.backlog().waiting) <= {"celery"}:
            self._lab.fleet.quiet(15.0, abandoned=True)
        self._lab.fleet.broker.empty()

    def backlog(self) -> Backlog:
        """What the broker holds now."""
        return self._lab.fleet.broker.backlog()

    def ready(self) -> int:
        """How many messages wait, in whichever queue."""
        return sum(self.backlog().waiting.values())

    def beat(self, beats: int = 1) -> None:
        """So many beats tick."""
        self._redis.set("slot", self._slot)
        for beat in self._beats[:beats]:
            self._sent += len(beat.tick(self._slot + 1))

    def orders(self, count: int = 2, task: str = "charge_order", **how: Any) -> None:  # noqa: ANN401 - options of Celery
        """So many customers order something."""
        self._placed += count
        self._sent += count
        for _ in range(count):
            self._order += 1
            self._lab.app.send_task(f"{MODULE}.{task}", [self._order], **how)

    def knobs(self, **knobs: Any) -> None:  # noqa: ANN401 - see Gateway.knobs
        """The provider behaves so from now on."""
        self._lab.gateway.knobs(**knobs)

    def asked(self) -> int:
        """How often the provider was asked for a charge."""
        return len(self._lab.gateway.requests())

    def reminder(self, name: str = "remind_v1", **how: Any) -> None:  # noqa: ANN401 - options of Celery
        """Somebody publishes under a name that the task had until the last release."""
        self._lab.app.send_task(f"{MODULE}.{name}", [self._order], **how)

    def stop(self) -> None:
        """The worker is gone."""
        self._worker.kill()

    def start(self) -> None:
        """A worker comes, unless there is one."""
        if not self._worker.alive:
            self._work()

    @property
    def sent(self) -> int:
        """How many messages were published in this night."""
        return self._sent

    def beats_done(self) -> bool:
        """Every heartbeat that was sent has run."""
        sent = self._sent - self._placed
        return int(self._redis.hget("heartbeat", "runs") or 0) == sent

    def _snapshot(self) -> Snapshot:
        backlog, worker = self.backlog(), self._worker
        counts, heart = self._redis.hgetall("counts"), self._redis.hgetall("heartbeat")
        return {
            "slot": self._slot,
            "workers": len(self._lab.fleet.board.ask({worker.name}, 5.0)),
            "waiting": backlog.waiting,
            "oldest": {name: self._oldest(name) for name in backlog.waiting},
            "unacked": backlog.unacked,
            "oldest_unacked": self._since(list(backlog.kept.values())),
            **{name: int(counts.get(name, 0)) for name in _COUNTS},
            "orders": self._placed,
            "charges": len(self._lab.gateway.charges()),
            "heartbeat": int(heart["slot"]),
            "heartbeats": int(heart["runs"]),
        }

    def _oldest(self, queue: str) -> int | None:
        rows = self._lab.redis.client().lrange(queue, 0, -1)
        return self._since([json.loads(row)["headers"]["id"] for row in rows])

    def _since(self, messages: list[str]) -> int | None:
        """Since which slot the first of them has been there, by these snapshots."""
        slots = [self._first_seen.setdefault(m, self._slot) for m in messages]
        return min(slots, default=None)

"""What happens in each night, slot by slot: calm, silent, and more for a judge.

A scene is called once in each slot; it may return what the slot has settled by, where
"nothing is left to do" will not come.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from atleastonce.silences import Night

Settled = Callable[[], object] | None
Scene = Callable[["Night", int], Settled]

#: How many slots a night has.
SLOTS = 4
#: The slot of a night in which something takes long.
LONG = 2
#: A queue that no worker takes from.
TYPO = "chrages"
#: What the provider does in a busy night, by slot.
TROUBLE: dict[int, dict[str, Any]] = {
    0: {"status": 402, "times": 2},
    1: {"status": 500, "times": 2},
}


def _no_orders(night: Night, _: int) -> Settled:
    night.beat()
    return None


def _busy(night: Night, slot: int) -> Settled:
    """Cards are refused, the provider fails, a charge takes a slot; then it is calm."""
    night.knobs(**TROUBLE.get(slot, {}))
    night.beat()
    if slot < SLOTS - 1:
        night.orders()
    return _long(night) if slot == LONG else None


def _trouble(night: Night, slot: int) -> Settled:
    """Ten cards are refused, then nine charges fail once; two slots have a long one.

    A message waits behind each of these two, and not the same.
    """
    night.knobs()
    if slot > 1:
        night.settle(None)  # who was busy gets an answer, and no trouble
    # Three failures in a row: an order has three retries.
    night.knobs(**{"status": 500, "times": 3} if slot else {"status": 402, "times": 10})
    night.beat()
    night.orders(3 if slot else 12)
    return _long(night, behind=1) if slot in (1, LONG) else None


def _long(night: Night, behind: int = 0) -> Settled:
    """All is done, and then a worker is busy with one order until the next slot."""
    night.settle(None)
    night.knobs(hang=True)
    before = night.asked()
    night.orders(1, "charge_late")
    night.orders(behind)
    return lambda: night.asked() > before and night.ready() == behind


def _deploy(night: Night, slot: int) -> Settled:
    return _release(night, slot, LONG, rush=40)


def _early_deploy(night: Night, slot: int) -> Settled:
    """In the two slots after it every card is refused."""
    if slot == LONG:
        night.knobs(status=402)
    return _release(night, slot, 1, rush=4)


def _release(night: Night, slot: int, ready: int, rush: int) -> Settled:
    """For a slot there is no worker, in the rush hour; in the next one no beat."""
    if slot == ready - 1:
        night.stop()
    if slot != ready:
        night.beat()
    night.orders(rush if slot == ready - 1 else 2)
    if slot == ready:
        night.start()
    return None


def _no_beat(night: Night, slot: int) -> Settled:
    if slot == 0:
        night.beat()
    night.orders()
    return None


def _two_beats(night: Night, _: int) -> Settled:
    night.beat(2)
    night.orders()
    return None


def _swallowed(night: Night, slot: int) -> Settled:
    """The error of one order in three is swallowed; then it is calm."""
    night.beat()
    if slot < SLOTS // 2:
        night.knobs(status=500, times=1)
        night.orders(1, "careless")
        night.orders()
    return None


def _failing(night: Night, _: int) -> Settled:
    night.knobs(status=500)
    night.beat()
    night.orders(task="charge_late")
    return None


def _wrong_queue(night: Night, slot: int) -> Settled:
    night.beat()
    night.orders(queue=TYPO)
    count = 2 * (slot + 1)

    def settled() -> bool:
        backlog = night.backlog()
        alone = backlog.waiting == {TYPO: count} and not backlog.unacked
        return alone and night.beats_done()

    return settled


def _stuck_pool(night: Night, _: int) -> Settled:
    night.knobs(hang=True)
    night.beat()
    night.orders()

    def settled() -> bool:
        # One heartbeat is done and one order runs; one message is with the worker.
        held = night.backlog().unacked
        return night.asked() > 0 and (held, night.ready()) == (1, night.sent - 3)

    return settled


def _abandoned(night: Night, slot: int) -> Settled:
    """A worker dies with a message in its hands; the next one is well."""
    if slot == 0:
        night.knobs(hang=True)
        night.orders(1, "charge_late")
        wait_until(night.asked, timeout=15.0, what="the provider to be asked")
        night.stop()
        night.knobs()
        night.start()
    night.beat()
    night.orders()
    return None


def _discarded(night: Night, _: int) -> Settled:
    """A task was renamed in the last release; who publishes does not know yet."""
    night.beat()
    night.orders()
    night.reminder()
    return None


def _unreadable(night: Night, _: int) -> Settled:
    """Somebody publishes what no worker may read."""
    night.beat()
    night.orders()
    # Under a name that it knows: an unknown one is not read at all.
    night.reminder("charge_order", serializer="pickle")
    return None


#: In which nothing is wrong.
CALM: dict[str, Scene] = {"no orders": _no_orders, "busy": _busy, "deploy": _deploy}
#: In which something is, and nobody says so.
SILENT: dict[str, Scene] = {
    "no beat": _no_beat,
    "two beats": _two_beats,
    "swallowed": _swallowed,
    "failing, no results": _failing,
    "wrong queue": _wrong_queue,
    "stuck pool": _stuck_pool,
}
#: More of both, for the judge.
CALM_TOO: dict[str, Scene] = {"trouble": _trouble, "early deploy": _early_deploy}
HIDDEN: dict[str, Scene] = {
    "abandoned": _abandoned,
    "discarded": _discarded,
    "unreadable": _unreadable,
}
NIGHTS = CALM | SILENT | CALM_TOO | HIDDEN

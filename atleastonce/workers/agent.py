"""Lives in every worker, warm or cold (``celery worker -I atleastonce.workers.agent``).

It works through Celery's signals. What is touched beside them, and why:

- ``Task.Request`` is set to ``Receiver``: no signal tells of ack, reject, requeue.
- ``boundaries.install`` wraps client libraries; see there.
- A ``SIGCHLD`` handler makes the pool look for dead children *when the kernel says that
  one can be reaped*. Celery 5.7 looks when a pipe closes, a moment too early, and then
  only every 5 s (``AsynPool.timers``), so a killed child is noticed in 0.1 s or in 5 s.
  We call the pool's own ``maintain_pool``; nothing of the pool is changed.
- kombu's lock around the restoring of unacked messages is left for 300 s by a worker
  that is killed while it holds it (``QoS.restore_visible``, kombu 5.7), and nobody
  restores meanwhile. Where it looks every 0.3 s, that befell one killed worker in eight
  on busy cores. Here the lock expires after LOCKED.
- A bootstep of the consumer listens again when Celery has reset its event loop, which
  it does after the broker was lost.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import socket
import threading
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from celery import bootsteps, signals
from celery.app.task import Task
from celery.worker import state
from celery.worker.request import Request
from kombu.transport.redis import Channel

from atleastonce.settings import Settings
from atleastonce.workers import boundaries, guest, link, receiver, reporter
from atleastonce.workers.lane import lane
from atleastonce.workers.strikes import Main

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds; restoring takes milliseconds, and a second one beside it does no harm.
LOCKED = 1
#: Sockets that must stay open for as long as the process lives.
_kept: list[socket.socket] = []
#: What the event loop reads for us: a socket, and what to call then.
_readers: dict[socket.socket, Callable[[], None]] = {}
_consumer: list[Any] = []
#: The questions whose asker no longer waits for us to stand still.
_let_go: set[int] = set()


class Ears(bootsteps.StartStopStep):
    """Listen to the lab in each event loop, those after a lost broker too."""

    def register_with_event_loop(self, _consumer: object, hub: Any) -> None:  # noqa: ANN401 - kombu's Hub
        """Called by Celery before each loop."""
        receiver.loop[:] = [hub]
        _listen(hub)


def _listen(hub: Any) -> None:  # noqa: ANN401 - kombu's Hub
    for end, heard in _readers.items():
        hub.add_reader(end.fileno(), heard)


@signals.worker_init.connect(weak=False)
def _before_the_pool(sender: Any, **_: object) -> None:  # noqa: ANN401 - a WorkController
    sender.app.steps["consumer"].add(Ears)
    Main.pid = os.getpid()
    if Settings.from_env().app:
        # A cold worker has imported the project by itself, and used nothing of it yet.
        guest.enter()
    Task.Request = "atleastonce.workers.receiver:Receiver"
    Channel.unacked_mutex_expire = LOCKED
    boundaries.install()
    reporter.connect_main()


@signals.worker_process_init.connect(weak=False)
def _in_a_pool_process(**_: object) -> None:
    if os.getpid() != Main.pid:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _set_clock(Settings.from_env().clock)
    reporter.connect()


def _set_clock(ahead: float) -> None:
    """Let this process live *ahead* seconds in the future; its deadlines don't."""
    if ahead:
        there = datetime.now(UTC) + timedelta(seconds=ahead)
        importlib.import_module("time_machine").travel(there, tick=True).start()


@signals.worker_ready.connect(weak=False)
def _ready(sender: Any, **_: object) -> None:  # noqa: ANN401 - Celery's Consumer
    _consumer[:] = [sender]
    # The pools threads and gevent have no process of their own.
    reporter.connect()
    ours = link.connect(lane().folder / link.NAME)
    if sender.hub:
        _readers[ours] = partial(_answer_or_leave, sender.hub, ours)
        _watch_children(sender)
        _listen(sender.hub)
    else:
        threading.Thread(target=_answer_all, args=(ours,), daemon=True).start()
    # Celery collects garbage before each fork; what stays anyway need not be looked at,
    # nor its pages be copied.
    gc.freeze()
    _kept.append(ours)
    if sender.hub:
        sender.hub.call_soon(_begin_turn, sender.hub, ours)
    else:
        _say_ready(ours)


def _begin_turn(hub: Any, ours: socket.socket) -> None:  # noqa: ANN401 - kombu's Hub
    # What the loop does next, and may do again: only now kombu listens to broadcasts
    # (``MultiChannelPoller.on_poll_start``), and a worker frozen before would miss one.
    for tick in list(hub.on_tick):
        tick()
    _say_ready(ours)


def _say_ready(ours: socket.socket) -> None:
    reporter.write("ready")
    link.send(ours, name=lane().name, pid=os.getpid(), ready=True)


def _watch_children(consumer: Any) -> None:  # noqa: ANN401 - Celery's Consumer
    wake, woken = socket.socketpair()
    for end in (wake, woken):
        end.setblocking(False)  # noqa: FBT003 - the socket API

    def look() -> None:
        woken.recv(4096)
        consumer.pool.maintain_pool()

    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    _readers[woken] = look
    _kept.append(wake)


def _answer(ours: socket.socket, question: dict[str, Any]) -> None:
    link.send(
        ours,
        question=question["question"],
        reserved=[r.id for r in (*state.reserved_requests, *_scheduled())],
        active=[request.id for request in state.active_requests],
        total=sum(state.total_count.values()),
    )


def _scheduled() -> list[Any]:
    """What waits here for its ETA: delivered, unacked, and not reserved yet.

    As ``celery inspect scheduled`` finds it (celery/worker/control.py, Celery 5.7).
    """
    timer = _consumer[0].timer if _consumer else None
    entries = [waiting.entry.args for waiting in timer.schedule.queue] if timer else []
    return [args[0] for args in entries if args and isinstance(args[0], Request)]


def _answer_or_leave(hub: Any, ours: socket.socket) -> None:  # noqa: ANN401 - kombu's Hub
    question = link.receive(ours)
    if question is None:
        hub.remove_reader(ours.fileno())
        del _readers[ours]
        return
    if "go_on" in question:
        _let_go.add(question["go_on"])
        return
    # Not now: the broker's socket may come later in this turn of the loop, and what it
    # has for us was sent before the question.
    if question["stand"]:
        _stand_still_soon(hub, ours, question)
    else:
        hub.call_soon(_answer, ours, question)


def _stand_still_soon(hub: Any, ours: socket.socket, question: dict[str, Any]) -> None:  # noqa: ANN401 - kombu's Hub
    """Wait for a signal, once no pool process has a message that we don't know it runs.

    ``AsynPool.flush`` (Celery 5.7) forgets such a message at a shutdown: its task runs,
    the message is requeued, and the process waits 30 s for us to take its result.
    """

    # A tick comes after the acks of this turn, and before it reads or hands over more.
    def tick() -> None:
        given_up = question["question"] in _let_go
        if _handed_over() and not given_up:
            return
        hub.on_tick.discard(tick)
        if not given_up:
            # Its own tick may not come any more: the signal may end the loop in ours.
            receiver.tell_accepted()
            _answer(ours, question)
            _await_go_on(ours, question["question"])
            # The signal, if it was for us, came meanwhile: no turn in between.
            state.maybe_shutdown()

    hub.on_tick.add(tick)


def _await_go_on(ours: socket.socket, number: int) -> None:
    """Stand still until who asked lets go, or is gone; others are answered."""
    while (said := link.receive(ours)) and said.get("go_on", 0) < number:
        if "question" in said:
            _answer(ours, said)


def _handed_over() -> bool:
    jobs = getattr(getattr(_consumer[0].pool, "_pool", None), "_cache", {}).values()
    given = [job for job in jobs if job._scheduled_for or job._write_to]  # noqa: SLF001 - billiard's, no other way
    return not all(job._accepted for job in given)  # noqa: SLF001 - likewise


def _answer_all(ours: socket.socket) -> None:
    while question := link.receive(ours):
        if "question" in question:
            _answer(ours, question)

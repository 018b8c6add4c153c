"""Lives in every worker, warm or cold (``celery worker -I atleastonce.workers.agent``).

It works through Celery's signals. What is touched beside them, and why:

- ``Task.Request`` is set to ``Receiver``: no signal tells of ack, reject, requeue.
- ``boundaries.install`` wraps client libraries; see there.
- A ``SIGCHLD`` handler makes the pool look for dead children *when the kernel says that
  one can be reaped*. Celery 5.7 looks when a pipe closes, a moment too early, and then
  only every 5 s (``AsynPool.timers``), so a killed child is noticed in 0.1 s or in 5 s.
  We call the pool's own ``maintain_pool``; nothing of the pool is changed.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import socket
import threading
from datetime import UTC, datetime, timedelta
from typing import Any

from celery import signals
from celery.app.task import Task
from celery.worker import state
from celery.worker.request import Request

from atleastonce.settings import Settings
from atleastonce.workers import boundaries, link, reporter
from atleastonce.workers.lane import lane
from atleastonce.workers.strikes import Main

#: Sockets that must stay open for as long as the process lives.
_kept: list[socket.socket] = []


_consumer: list[Any] = []


@signals.worker_init.connect(weak=False)
def _before_the_pool(**_: object) -> None:
    Main.pid = os.getpid()
    Task.Request = "atleastonce.workers.receiver:Receiver"
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
    ours = link.connect(lane().folder)
    if sender.hub:
        sender.hub.add_reader(ours.fileno(), _answer_or_leave, sender.hub, ours)
        _watch_children(sender)
    else:
        threading.Thread(target=_answer_all, args=(ours,), daemon=True).start()
    # Celery collects garbage before each fork; what stays anyway need not be looked at,
    # nor its pages be copied.
    gc.freeze()
    reporter.write("ready")
    link.send(ours, name=lane().name, pid=os.getpid(), ready=True)
    _kept.append(ours)


def _watch_children(consumer: Any) -> None:  # noqa: ANN401 - Celery's Consumer
    wake, woken = socket.socketpair()
    for end in (wake, woken):
        end.setblocking(False)  # noqa: FBT003 - the socket API

    def look() -> None:
        woken.recv(4096)
        consumer.pool.maintain_pool()

    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    consumer.hub.add_reader(woken.fileno(), look)
    _kept.extend((wake, woken))


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
        return
    # Not now: the broker's socket may come later in this turn of the loop, and what it
    # has for us was sent before the question.
    hub.call_soon(_answer, ours, question)


def _answer_all(ours: socket.socket) -> None:
    while question := link.receive(ours):
        _answer(ours, question)

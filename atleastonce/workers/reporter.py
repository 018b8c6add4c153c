"""What a worker writes into the lab's log about its attempts and publishes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from celery import signals

from atleastonce.workers import attempts, databases, lines
from atleastonce.workers.lane import lane
from atleastonce.workers.plan import HEADER, Plan
from atleastonce.workers.points import Recorder
from atleastonce.workers.running import Attempt, current, enter, leave
from atleastonce.workers.strikes import Main
from atleastonce.workers.wording import called, due

if TYPE_CHECKING:
    from celery import Task

#: What the main process finds out about an attempt whose process is gone.
_LOST = ("WorkerLostError", "TimeLimitExceeded")
_reported: set[tuple[str, int]] = set()


def connect() -> None:
    """Report from this process on; called again it changes nothing.

    Called when a pool process starts, so that Celery's Django fixup, which closes the
    database connection before each task, was connected, and is called, before us.
    """
    signals.task_prerun.connect(_begin, weak=False, dispatch_uid="atleastonce")
    signals.task_postrun.connect(_end, weak=False, dispatch_uid="atleastonce")
    signals.before_task_publish.connect(
        _publish, weak=False, dispatch_uid="atleastonce"
    )


def _begin(task_id: str, task: Task, **_: object) -> None:
    if task.request.is_eager:
        # A call inside another attempt, and no message.
        return
    number = attempts.begin(lane().folder, task_id)
    write("start", message=task_id, attempt=number)
    found = getattr(task.request, HEADER, None)
    if not found:
        enter(Attempt(task_id, number))
        return
    recorder = _recorder(Plan.from_json(found), task, task_id, number)
    enter(Attempt(task_id, number, recorder))
    # Or the task's first query would have more points.
    databases.connect()
    if os.getpid() != Main.pid:
        attempts.await_accepted(lane().folder, task_id)
    lines.start(recorder)


def _recorder(plan: Plan, task: Task, message: str, attempt: int) -> Recorder:
    files = frozenset(plan.files or [lines.learners_file(task.run)])
    return Recorder(plan, message, attempt, lines.root_code(task.run), files)


def _end(task_id: str, task: Task, state: str, retval: object, **_: object) -> None:
    attempt = None if task.request.is_eager else leave()
    if attempt is None:
        return
    recorder = attempt.recorder
    if recorder:
        lines.stop()
    text = f"{state} {type(retval).__name__}" if state == "FAILURE" else state
    # No state: a shutdown ended it (SystemExit), and no result is stored.
    write("finish", text or "cut short", message=task_id, attempt=attempt.number)
    if isinstance(recorder, Recorder):
        recorder.stored()
        recorder.close()


def connect_main() -> None:
    """Report, from the main process, the attempts whose process did not live to."""
    signals.task_failure.connect(_lost, weak=False, dispatch_uid="atleastonce")


def _lost(task_id: str, exception: Exception, **_: object) -> None:
    name = type(exception).__name__
    if os.getpid() != Main.pid or name not in _LOST:
        return
    number = attempts.last_of(lane().folder, task_id)
    # Celery 5.7 sends this signal twice for a hard time limit.
    if (task_id, number) not in _reported:
        _reported.add((task_id, number))
        write("finish", f"FAILURE {name}", message=task_id, attempt=number)


def _publish(headers: dict[str, Any], **_: object) -> None:
    attempt = current()
    if attempt and headers["id"] == attempt.message:
        write(
            "retry",
            f"retry {headers['retries']}",
            message=attempt.message,
            attempt=attempt.number,
            data=due(headers),
        )
        return
    ties = (attempt.message,) if attempt else ()
    said = {"ties": ties, "data": due(headers)}
    write("publish", called(headers), message=headers["id"], **said)


def write(kind: str, text: str = "", **more: Any) -> None:  # noqa: ANN401 - fields of Event
    """One event on this worker's lane."""
    lane().log.write(lane().name, kind, text, **more)

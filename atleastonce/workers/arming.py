"""Arming: while a fault is armed, every message that is published carries its plan."""

from __future__ import annotations

import inspect
import json
import linecache
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from celery import signals

from atleastonce.errors import FaultError
from atleastonce.eventlog import EventLog
from atleastonce.workers.plan import HEADER, At, Plan, Strike

if TYPE_CHECKING:
    from types import TracebackType

    from celery import Celery, Task

    from atleastonce.addresses import Addresses
    from atleastonce.faults import Fault


class Armed:
    """Faults that wait for the next messages; each strikes once, one message at most.

    Leaving the block disarms what is published from then on; messages that are under
    way keep their plan.

    Attributes:
        folder: where the traces and the records of strikes are.

    Args:
        app: whose tasks they may strike.
        addresses: the lab's.
        faults: what to arm.

    Raises:
        FaultError: a place is a line that no task of *app* has, or has twice.
    """

    def __init__(self, app: Celery, addresses: Addresses, *faults: Fault) -> None:
        token = secrets.token_hex(4)
        self.folder = Path(addresses.folder) / "plans" / token
        self.folder.mkdir(parents=True)
        self._faults, self._events = faults, EventLog(addresses.events)
        self._plans: dict[str, Plan] = {}
        self._errors: dict[str, FaultError] = {}
        self._unplanned: FaultError | None = None
        for task in _own_tasks(app):
            self._add(task)
        if self._errors and not self._plans:
            raise next(iter(self._errors.values()))

    def __enter__(self) -> Self:
        """Arm."""
        signals.before_task_publish.connect(self._published, weak=False)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Disarm.

        Raises:
            FaultError: a message was published that could not carry the plan.
        """
        self.disarm()
        if error is None and self._unplanned:
            raise self._unplanned

    def disarm(self) -> None:
        """Messages that are published from now on carry no plan."""
        signals.before_task_publish.disconnect(self._published)

    @property
    def struck(self) -> list[dict[str, Any]]:
        """Where each fault that has struck did so: point, message, attempt, worker."""
        return [
            json.loads(text)
            for path in sorted(self.folder.glob("struck.*"))
            if (text := path.read_text())
        ]

    def require(self) -> None:
        """Check that every fault has struck.

        Raises:
            FaultError: one has not, so what was seen is not its work.
        """
        missing = [
            fault.text
            for number, fault in enumerate(self._faults)
            if not (self.folder / f"struck.{number}").exists()
        ]
        if missing:
            raise FaultError(
                f"Never struck: {'; '.join(missing)}.",
                seen=self._last_end(),
                attempt="run it without the fault, and read lab.timeline()",
            )

    def _last_end(self) -> str:
        """How the last attempt of a message with a plan ended."""
        events, _ = self._events.read()
        names = {path.name.split(".")[1] for path in self.folder.glob("trace.*")}
        ends = [e for e in events if e.message in names and e.kind == "finish"]
        return f"the task ended with {ends[-1].text}" if ends else "no task has ended"

    def _add(self, task: Task) -> None:
        try:
            strikes = [
                Strike(str(n), f.action, f.what, f.text, _at(f, task), f.attempt)
                for n, f in enumerate(self._faults)
            ]
        except FaultError as error:
            self._errors[task.name] = error
        else:
            self._plans[task.name] = Plan(str(self.folder), (), tuple(strikes))

    def _published(self, sender: str, headers: dict[str, Any], **_: object) -> None:
        # Celery logs what a signal's receiver raises and goes on: __exit__ raises it.
        if sender in self._plans:
            headers[HEADER] = self._plans[sender].to_json()
        elif sender in self._errors:
            self._unplanned = self._errors[sender]


def _own_tasks(app: Celery) -> list[Task]:
    return [
        t for name, t in sorted(app.tasks.items()) if not name.startswith("celery.")
    ]


def _at(fault: Fault, task: Task) -> At:
    if not fault.on_a_line:
        return fault.at()
    code = inspect.unwrap(task.run).__code__
    line = fault.place if isinstance(fault.place, int) else _find(fault.place, task)
    return fault.at(code.co_filename, line)


def _find(fragment: str, task: Task) -> int:
    """The one line of the task, or else of its file, that holds *fragment*."""
    function = inspect.unwrap(task.run)
    try:
        lines, first = inspect.getsourcelines(function)
    except OSError:
        raise FaultError(f"The source of {task.name} is not there.") from None
    whole = linecache.getlines(function.__code__.co_filename)
    for source, start in ((lines, first), (whole, 1)):
        found = [n for n, text in enumerate(source, start) if fragment in text]
        if len(found) == 1:
            return found[0]
        if found:
            break
    where = f"on lines {', '.join(map(str, found))}" if found else "nowhere"
    raise FaultError(
        f"{fragment!r} must stand on exactly one line of {task.name}; it is {where}.",
        attempt="give a line number, or a longer piece of the line",
    )

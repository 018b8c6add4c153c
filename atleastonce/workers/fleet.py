"""The workers of one lab: started warm or cold, asked what they do, and closed."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from atleastonce.addresses import Addresses
from atleastonce.errors import WaitTimeout, WorkerError
from atleastonce.eventlog import EventLog
from atleastonce.waiting import Deadline
from atleastonce.workers import quiet
from atleastonce.workers.broker import Broker, open_broker
from atleastonce.workers.forkserver import ForkServer
from atleastonce.workers.launch import PATCHING, arguments, environment, execute
from atleastonce.workers.mains import Warm
from atleastonce.workers.project import SHOP, Project
from atleastonce.workers.switchboard import Switchboard
from atleastonce.workers.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from atleastonce.services.cleanup import Reaper
    from atleastonce.workers.mains import Running
    from atleastonce.workers.project import Environment

#: Seconds; a cold worker takes up to 6 on two busy cores.
START_TIMEOUT = 60.0


class Fleet:
    """Start workers of one lab and know what becomes of them.

    The fork server starts with this object, and needs neither services nor lab file.

    Attributes:
        workers: every one that was started since ``clear``, dead or alive.
        project: whose tasks they run; may be replaced before the first start.
        tasks: folder on the workers' import path; ``%%tasks`` modules go there.
        events: the lab's file of events.

    Args:
        addresses: the lab's, or None to read *lab_file* when they are needed.
        lab_file: where they are, or will be.
        reaper: kills what we can't.
        folder: the lab's folder.
        project: whose tasks the workers run.
    """

    def __init__(
        self,
        addresses: Addresses | None,
        lab_file: Path,
        reaper: Reaper,
        folder: Path,
        *,
        project: Project = SHOP,
    ) -> None:
        self._addresses, self._lab_file = addresses, lab_file
        self._reaper, self._folder = reaper, folder
        self.project = project
        self.workers: list[Worker] = []
        self.tasks, self._logs = folder / "tasks", folder / "log"
        for place in (self.tasks, self._logs):
            place.mkdir(exist_ok=True)
        self._server = ForkServer(lab_file, reaper, self._logs / "zygote.log")
        self.board = Switchboard(self._server, folder)
        self._ordered = self._preloaded = not project.django
        self._broker: Broker | None = None

    @property
    def addresses(self) -> Addresses:
        """The lab's addresses; a SettingsError while there is no lab file."""
        if self._addresses is None:
            self._addresses = Addresses.load(self._lab_file)
        return self._addresses

    @property
    def broker(self) -> Broker:
        """What the lab's broker holds."""
        if self._broker is None:
            self._broker = open_broker(self.addresses)
        return self._broker

    def follow(self, addresses: Addresses) -> None:
        """Work on these from now on: the lab uses another broker."""
        if self._broker:
            self._broker.close()
        self._addresses, self._broker = addresses, None

    @property
    def events(self) -> EventLog:
        """The lab's file of events."""
        return EventLog(self.addresses.events)

    @property
    def pid(self) -> int:
        """The fork server's process id."""
        return self._server.pid

    def preload(self, *, wait: bool = True) -> None:
        """Have the fork server set the project up, or begin to; ``start`` does it too.

        Raises:
            WorkerError: the project can't be set up.
        """
        if not self._ordered:
            self._server.order("preload", project=self.project.django)
            self._ordered = True
        if self._preloaded or not wait:
            return
        error = self._reply("preloaded")["error"]
        if error:
            raise WorkerError(
                f"The project {self.project.django} could not be set up.",
                seen=str(error),
                attempt="atleastonce doctor",
            )
        self._preloaded = True

    def start(  # noqa: PLR0913 - every option is a keyword with a default
        self,
        count: int = 1,
        *,
        pool: str = "prefork",
        concurrency: int = 1,
        cold: bool = False,
        include: Sequence[str] = (),
        wait: bool = True,
        clock: float = 0.0,
        entrypoint: str = "",
        **settings: object,
    ) -> list[Worker]:
        """Start *count* workers, and return when all take messages.

        Args:
            count: how many.
            pool: ``prefork``, ``solo``, ``threads``; ``gevent`` patches: always cold.
            concurrency: how many tasks each runs at once.
            cold: as a new ``celery worker`` process, in place of a fork.
            include: modules with tasks to import, such as those of ``%%tasks``.
            wait: False returns at once; ``quiet`` waits for them too.
            clock: seconds that the clock of their pool processes is ahead.
            entrypoint: a shell script, see ``launch.execute``; always cold.
            **settings: Celery settings, such as ``task_acks_late=True``.

        Raises:
            WorkerError: one ended, or was not ready in time; with its last lines.
        """
        new = []
        for _ in range(count):
            name, project = self._next_name(), self.project
            argv = arguments(name, pool, concurrency, include, project.queues)
            env = project.env | environment(name, settings, clock)
            colder = cold or entrypoint or pool in PATCHING
            new.append(self._launch(argv, env, entrypoint if colder else None))
        for worker in new if wait else ():
            worker.wait_ready(Deadline(START_TIMEOUT))
        return new

    def fork(self, call: str, *argv: object, log: Path) -> Warm:
        """Call ``module:function`` in a warm process, which the caller ends."""
        return self._fork(log, call=call, argv=argv, env=self.project.env)

    def pump(self, timeout: float = 0.0) -> None:
        """Take in what workers and fork server have said."""
        self.board.pump(timeout)
        for worker in self.workers:
            worker.follow(self.board)

    def quiet(
        self,
        timeout: float = 10.0,
        *,
        abandoned: bool = False,
        unless: Callable[[], object] | None = None,
    ) -> None:
        """Wait until nothing is left to do: queues empty, nothing unacked, all idle.

        Args:
            timeout: seconds.
            abandoned: do not count messages that only a dead worker holds.
            unless: also return when this is true.

        Raises:
            WaitTimeout: with what is still waiting, unacked and running.
        """
        quiet.wait(self, timeout, abandoned=abandoned, unless=unless)

    def clear(self) -> None:
        """End every worker with SIGKILL, and forget them: the next one is ``w1`` again.

        Raises:
            WaitTimeout: one is not gone after 30 s.
        """
        for worker in self.workers:
            worker.end()
        self.workers.clear()
        self.board.forget()

    def close(self) -> None:
        """Kill every worker and the fork server, dead or alive; twice does no harm."""
        with suppress(WaitTimeout):
            self.clear()
        if self._broker:
            self._broker.close()
        self._server.close()
        self.board.close()

    def _launch(self, argv: list[str], env: Environment, by: str | None) -> Worker:
        name = self._next_name()
        self.board.forget(name)
        log = self._logs / f"{name}.log"
        # The name may have been another worker's before ``clear``.
        log.unlink(missing_ok=True)
        process: Running
        if by is None:
            process = self._fork(log, app=self.project.app, argv=argv, env=env)
        else:
            env |= {"ATLEASTONCE_LAB_FILE": str(self._lab_file)}
            command = ["-A", self.project.app, *argv]
            places = self.project.places(self.tasks)
            process = execute(command, env, places, log, self._reaper, by)
        worker = Worker(name, process, self, log)
        self.workers.append(worker)
        return worker

    def _next_name(self) -> str:
        # Not how many there are: a sweep forgets those that it has killed.
        last = max((int(worker.name[1:]) for worker in self.workers), default=0)
        return f"w{last + 1}"

    def _fork(self, log: Path, **order: object) -> Warm:
        self.preload()
        path = self.project.places(self.tasks)
        self._server.order("spawn", path=path, cwd=path[0], log=str(log), **order)
        return Warm(self._reply("spawned")["pid"], self.board)

    def _reply(self, event: str) -> dict[str, Any]:
        reply = self.board.reply(event, START_TIMEOUT)
        if reply is None:
            raise WorkerError(
                f"The fork server {'has ended' if self.board.gone else 'is silent'}.",
                seen=self._server.tail(),
                attempt="lab.close(), and open the lab again",
            )
        return reply

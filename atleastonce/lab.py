"""What a notebook opens: live services, workers, tasks, faults, and the evidence.

One lab is open at a time in a process; opening another closes it. Everything that a
lab starts ends with it, in reverse order, and 2 s after its process however that ends.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, ClassVar, Self

from atleastonce import claims, marks, stubs, tasks
from atleastonce.explore import bench
from atleastonce.explore.bench import Bench
from atleastonce.inventory import count, empty
from atleastonce.kernel import drop, follow, join
from atleastonce.services.opening import open_services
from atleastonce.striking import strike
from atleastonce.timeline import Timeline
from atleastonce.waiting import wait_patiently
from atleastonce.workers.beats import Beat
from atleastonce.workers.fleet import Fleet
from atleastonce.workers.redelivery import redeliver

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from celery import Celery
    from celery.result import AsyncResult

    from atleastonce.faults import Fault
    from atleastonce.services.folder import LabFolder
    from atleastonce.services.gateway import Gateway
    from atleastonce.services.mail import Mail
    from atleastonce.services.postgres import Postgres
    from atleastonce.services.rabbitmq import RabbitMQ
    from atleastonce.services.redis import Redis
    from atleastonce.tasks import TaskModule
    from atleastonce.workers.worker import Worker
    from atleastonce.world import World


class Lab:
    """The live services and workers of one notebook.

    Attributes:
        redis, postgres, mail, gateway, rabbitmq: handles of the services.
        app: the shop's Celery app, connected to them.
        modules: what the ``%%tasks`` cells defined, by name.

    Args:
        stem: the notebook's name, such as ``01_duplicates``.
        rabbitmq: start RabbitMQ in the background, where it is installed; otherwise it
            starts on first use.

    Raises:
        NoService: a server is not on this machine.
        ServiceError: a service can't be started.
    """

    _open: ClassVar[Lab | None] = None

    redis: Redis
    postgres: Postgres
    mail: Mail
    gateway: Gateway
    app: Celery

    def __init__(self, stem: str, *, rabbitmq: bool = False) -> None:
        if Lab._open is not None:
            Lab._open.close()
        self.stem, self.modules = stem, dict[str, "TaskModule"]()
        self._pools: list[dict[str, Any]] = []
        self._beats = ExitStack()
        self._since = 0
        with ExitStack() as stack:
            self._start(stack)
            if rabbitmq:
                self.services.begin_rabbitmq()
            self._stack = stack.pop_all()
        claims.attend(stubs.known(stem))
        Lab._open = self

    def _start(self, stack: ExitStack) -> None:
        services = stack.enter_context(open_services(self.stem, self._open_fleet))
        self.services, self.events = services, services.events
        self.redis, self.postgres = services.redis, services.postgres
        self.mail, self.gateway = services.mail, services.gateway
        # It sets up Django while we do; only the first worker has to wait for that.
        self.fleet.preload(wait=False)
        self.app = join(services, self.fleet, stack)
        stack.callback(self._forget_tasks)
        stack.callback(self._beats.close)
        self._offer()

    def _open_fleet(self, place: LabFolder) -> Callable[[], None]:
        # The fork server imports its libraries while the services start.
        self.fleet = Fleet(None, place.lab_file, place.reaper, place.path)
        return self.fleet.close

    def _offer(self) -> None:
        """Have sweeps and searches work here, with the tasks there are now."""
        place = self.services.addresses, self.fleet, self.world
        include = tuple(self.modules)
        bench.use(Bench(*place, include=include, switch=self._switch))

    def _switch(self, broker: str) -> Bench:
        self.use(broker)
        return bench.current()

    @property
    def rabbitmq(self) -> RabbitMQ:
        """The handle of RabbitMQ, once it runs.

        Raises:
            NoService: it is not on this machine.
        """
        return self.services.rabbitmq

    @property
    def second_redis(self) -> Redis:
        """Another Redis, which starts on first use; ``reset`` empties it too."""
        return self.services.second_redis

    def use(self, broker: str, **options: object) -> None:
        """Have tasks go through *broker*, ``redis`` or ``rabbitmq``; ends all workers.

        What is published, the next workers, ``wait``, ``world`` and sweeps follow.
        Messages that are left in the other broker stay there.

        Args:
            broker: where the lab publishes from now on.
            **options: of kombu's transport, for what this notebook publishes, such as
                ``confirm_publish=False``, Celery's default with RabbitMQ.

        Raises:
            NoService: RabbitMQ is not on this machine.
        """
        self.fleet.clear()
        self._pools.clear()
        self.services.use(broker)
        self.fleet.follow(self.services.addresses)
        follow(self.app, self.services.addresses, **options)
        self._offer()

    @classmethod
    def current(cls) -> Lab | None:
        """The lab that is open in this process, if one is."""
        return cls._open

    def __repr__(self) -> str:
        """What runs; no port and no version, so that a notebook may show it."""
        state = "open" if Lab._open is self else "closed"
        more = ", rabbitmq" if self.services.has_rabbitmq else ""
        return f"Lab {self.stem}, {state}: redis, postgres, mail, gateway{more}"

    def load_tasks(self, name: str, cell: str) -> dict[str, object]:
        """Make *cell* the module *name*; workers that run are replaced by new ones.

        Returns the cell's public names, and the module's own.

        Raises:
            TasksError: the name can't be used.
            BaseException: what the cell raises; the old tasks go on.
        """
        module = tasks.load(name, cell, folder=self.fleet.tasks, app=self.app)
        self.modules[name] = module
        self._offer()
        if any(worker.alive for worker in self.fleet.workers):
            self._replace_workers()
        return module.names | {name: module.module}

    def _replace_workers(self) -> None:
        pools, self._pools = self._pools, []
        self.fleet.clear()
        for pool in pools:
            self._launch(**pool)

    def worker(
        self,
        count: int = 1,
        *,
        pool: str = "prefork",
        concurrency: int = 1,
        tasks: Sequence[str] = (),
        **settings: object,
    ) -> Worker | list[Worker]:
        """Start workers with the tasks of ``%%tasks`` cells; ready on return.

        Args:
            count: how many; one is returned as it is, several as a list.
            pool: ``prefork``, ``solo`` or ``threads``.
            concurrency: how many tasks each runs at once.
            tasks: the modules that they import, such as ``["new"]``; default: all.
            **settings: Celery settings, such as ``task_acks_late=True``; ``clock``, the
                seconds that a worker's clock is ahead; ``entrypoint``, see
                ``Fleet.start``.

        Raises:
            WorkerError: one ended, or was not ready in time; with its last log lines.
        """
        started = self._launch(
            count=count, pool=pool, concurrency=concurrency, tasks=tasks, **settings
        )
        return started[0] if count == 1 else started

    def _launch(self, tasks: Sequence[str], **how: Any) -> list[Worker]:  # noqa: ANN401 - arguments of start
        self._pools.append(how | {"tasks": tasks})
        return self.fleet.start(include=tuple(tasks or self.modules), **how)

    def beat(self, ago: int = 10, **schedule: dict[str, Any]) -> Beat:
        """Start a Celery beat whose clock stands still until ``tick(slot)``; a Beat."""
        beat = Beat(self.fleet, schedule, include=tuple(self.modules), ago=ago)
        self._beats.callback(beat.kill)
        return beat

    def strike(self, *faults: Fault) -> AbstractContextManager[None]:
        """Messages published in the body carry *faults*; it ends when all have struck.

        Raises:
            FaultError: one did not strike, and nothing is left to do.
        """
        return strike(self.app, self.fleet, *faults)

    def redeliver(self, message: AsyncResult[Any] | str) -> None:
        """Have the broker deliver an unacked message again, now.

        In production this happens when the visibility timeout is over.

        Raises:
            FaultError: the message is not unacked.
        """
        redeliver(self.services.addresses, getattr(message, "id", str(message)))

    def wait(
        self, condition: Callable[[], object] | None = None, *, timeout: float = 15.0
    ) -> None:
        """Wait until *condition* is true, or until nothing is left to do.

        Raises:
            WaitTimeout: not within *timeout* seconds.
        """
        if condition is None:
            self.fleet.quiet(timeout)
            return
        name = getattr(condition, "__name__", "the condition")
        wait_patiently(
            condition, timeout=timeout, what=name, seen=lambda: str(self.timeline())
        )

    def timeline(self, *, times: bool = False) -> Timeline:
        """What happened since the lab was opened or reset.

        Args:
            times: in recorded order, with seconds; differs from run to run.
        """
        self.fleet.pump()
        events, _ = self.events.read(self._since)
        return Timeline(events, times=times)

    def world(self) -> World:
        """What the outside shows now: charges, mails, paid orders, broker's keys."""
        return count(self.services, self.fleet.broker)

    def reset(self) -> None:
        """End all workers and beats, empty the world, and begin a new timeline."""
        claims.book.settle()
        self._beats.close()
        self.fleet.clear()
        self._pools.clear()
        empty(self.services)
        if self.services.addresses.broker == "rabbitmq":
            # Its queues are gone, and must be declared again.
            drop(self.app)
        _, self._since = self.events.read(self._since)

    def close(self) -> None:
        """Look at the evidence once more, then end everything; twice does no harm.

        Raises:
            ClaimBroken: a claim that held does not hold any more.
        """
        if Lab._open is self:
            Lab._open = None
            with self._stack:
                claims.book.recheck()
            marks.lesson_closed(self.stem)

    def _forget_tasks(self) -> None:
        for module in self.modules.values():
            tasks.unload(module, self.app)

    def __enter__(self) -> Self:
        """The open lab."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

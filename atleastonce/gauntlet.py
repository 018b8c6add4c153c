"""A configuration as a whole, struck by every instrument of the course.

Each verb is one strike, and returns what became of the work, in a few words: evidence
of the broker, the database, the provider or the mailbox. ``strikes`` keeps them as the
rows of one table: with the configuration, and with one line more.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from atleastonce.explore.crash_sweep import crash_sweep
from atleastonce.explore.interleave import interleave
from atleastonce.faults import kill
from atleastonce.workers.memory import memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from atleastonce.lab import Lab

#: How often a poison message kills before it stops by itself, so that a run ends.
DEATHS = 20


class Gauntlet:
    """Strike *settings* in *lab*.

    Args:
        lab: an open lab; it is reset before each strike.
        settings: Celery settings of the workers.
        setup: makes the rows that tasks need, after each reset.
        world: what the outcome of a task is judged by.

    Attributes:
        strikes: the rows, by what was struck.
    """

    def __init__(
        self,
        lab: Lab,
        settings: dict[str, Any],
        *,
        setup: Callable[[], object],
        world: Callable[[], dict[str, object]],
    ) -> None:
        self._lab, self._settings = lab, settings
        self._setup, self._world = setup, world
        self.strikes: dict[str, dict[str, object]] = {}

    def row(self, strike: str, safe: str, line: str = "", then: str = "") -> None:
        """Keep one strike: its outcome, the line that mends it, the outcome then."""
        self.strikes[strike] = {
            "as it is": safe,
            "the line that mends it": line,
            "then": then,
        }

    def _begin(self, **more: Any) -> None:  # noqa: ANN401 - Celery settings
        self._start()
        self._lab.worker(**self._settings | more)

    def killed(self, task: object, *args: object) -> str:
        """A crash sweep: at how many points is the work lost or done twice?"""
        how: dict[str, Any] = {"world": self._world, "settings": self._settings}
        found = crash_sweep(task, *args, setup=self._start, **how)
        count = len(found.rows)
        return f"bad at {count - found.outcomes['ok']} of {count} points"

    def _start(self) -> None:
        self._lab.reset()
        self._setup()

    def met(self, one: object, other: object) -> str:
        """An interleaving search: how many schedules of two copies break it?"""
        found = interleave(one, other, setup=self._start, world=self._world)
        return f"{found.broken} of {found.schedules} schedules bad"

    def poisoned(self, task: Any, **more: object) -> str:  # noqa: ANN401 - a task
        """A message that kills its process, as long as ``left`` in Redis says."""
        self._begin(**more)
        self._lab.redis.client(2).set("left", DEATHS)
        task.delay()
        self._lab.wait(timeout=50)
        return f"{self._lab.timeline().attempts('m1')} attempts"

    def leaked(self, call: Any, count: int, above: int = 0) -> str:  # noqa: ANN401
        """Tasks that keep memory: through how many does one process go?

        Args:
            call: a signature; it returns the pid.
            count: how often it is called.
            above: MiB that a process may take beyond its start; 0: what it likes.
        """
        self._begin()
        if above:
            (child,) = self._lab.fleet.workers[0].children()
            most = int(memory(child).peak + above) * 1024
            self._begin(worker_max_memory_per_child=most)
        sent = [call.apply_async() for _ in range(count)]
        self._lab.wait(timeout=50)
        pids = Counter(result.get(timeout=5) for result in sent)
        return f"{max(pids.values())} of {count} in one process"

    def crashed(self, task: Any, **directives: str) -> str:  # noqa: ANN401 - a task
        """Redis is killed with 20 messages in its queue, and comes back."""
        self._start()
        with self._lab.redis.configured(**directives):
            for number in range(20):
                task.delay(number)
            self._lab.redis.crash()
            return f"{self._lab.world()['queue']} of 20 messages left"

    def widowed(self, task: Any, *args: object, **options: object) -> str:  # noqa: ANN401
        """A worker is killed after its charge; another one waits for work.

        Args:
            task: charges.
            args: of the task.
            options: of the broker's transport; with ``visibility_timeout`` it is given
                the time to act.
        """
        more: dict[str, Any] = {"broker_transport_options": options} if options else {}
        self._begin(**more)
        with self._lab.strike(kill("worker", after="charge")):
            task.delay(*args)
        self._lab.worker(**self._settings | more)
        self._lab.fleet.quiet(30.0, abandoned=not options)
        return f"{self._lab.world()['unacked']} unacked"

    def ended(self, call: Any, *, hangs: int = 0, **more: object) -> str:  # noqa: ANN401
        """How a call ends, and how many dead letters it leaves.

        Args:
            call: a signature.
            hangs: how many requests the payment provider does not answer.
            more: Celery settings.
        """
        from atleastonce.shop.models import DeadLetter  # noqa: PLC0415 - needs Django

        self._begin(**more)
        self._lab.gateway.knobs(**{"hang": True, "times": hangs} if hangs else {})
        last = call.apply_async()
        self._lab.wait()
        state = self._lab.app.backend.get_task_meta(last.id)["status"]
        return f"{state}, {DeadLetter.objects.count()} kept"

    def watched(self, task: Any, *args: object, line: str) -> tuple[str, str, str]:  # noqa: ANN401
        """Ten tasks that do not end: what the articles' monitor says, and the broker.

        Returns what it says, *line*, and what the broker says: waiting + unacked.
        """
        self._begin()
        for _ in range(10):
            task.delay(*args)
        self._lab.wait(lambda: self._lab.world()["unacked"] == 1)
        says = len(self._lab.app.control.inspect(timeout=0.5).active())
        world = self._lab.world()
        return f"says {says}", line, f"says {world['queue']} + {world['unacked']}"

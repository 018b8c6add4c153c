"""A project with every recipe in it, and real processes that are struck in it."""

from __future__ import annotations

import importlib
import multiprocessing
import signal
import sys
from contextlib import contextmanager
from multiprocessing import forkserver, util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from atleastonce.own.calls import Opening
from atleastonce.own.client import Client
from atleastonce.services.embedded import Embedded
from atleastonce.services.template import empty_template
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from atleastonce.explore.result import Interleavings
    from atleastonce.explore.sweep import Sweep

#: Seconds for one process, with all cores busy.
PATIENCE = 60.0


@pytest.fixture(scope="session")
def project(labs_root: Path) -> Iterator[Path]:
    """The folder of the project: its modules, the recipes, their wrong variants."""
    here, folder = str(Path(__file__).parent), labs_root / "with-recipes"
    folder.mkdir()
    sys.path[:0] = [here, str(folder)]
    importlib.import_module("planted").lay(folder)
    yield folder
    sys.path.remove(here)
    sys.path.remove(str(folder))


class Rig:
    """The project, opened by the package: sweeps and searches of its Celery tasks."""

    def __init__(self, client: Client, folder: Path) -> None:
        self._client, self._folder = client, folder

    def sweep(
        self,
        recipe: str,
        target: str,
        *args: object,
        world: str,
        lines: bool = False,
        **how: Any,  # noqa: ANN401 - of crash_sweep
    ) -> Sweep:
        """Strike a target at each effect; with *lines*, at each line too.

        The lines are those of the recipe and of the module that uses it.
        """
        names = (f"uses_{recipe}", recipe) if lines else ("app",)
        files = [self._folder / f"{name}.py" for name in names]
        name = f"uses_{recipe}:{target}"
        how = _named(recipe, how) | {"world": f"checks:{world}", "files": files}
        how["timeout"] = PATIENCE
        return self._client.crash_sweep(name, *args, **how)

    def search(self, recipe: str, *calls: Any, world: str, **how: Any) -> Interleavings:  # noqa: ANN401 - of interleave
        """Run every schedule of these calls, each a tuple of a name and arguments."""
        copies = [(f"uses_{recipe}:{name}", *args) for name, *args in calls]
        how = _named(recipe, how) | {"world": f"checks:{world}"}
        how["deadline"] = 10 * PATIENCE
        return self._client.interleave(*copies, **how)


def _named(recipe: str, how: dict[str, Any]) -> dict[str, Any]:
    """Functions of the module that uses the recipe, by their names in it."""
    own = {k: f"uses_{recipe}:{how[k]}" for k in ("setup", "left") if k in how}
    return how | own


@pytest.fixture(scope="module")
def rig(project: Path) -> Iterator[Rig]:
    opening = Opening("app:app", str(project), setup="checks:tables")
    with pytest.MonkeyPatch.context() as patch:
        # Other tests of this process may have chosen the shop's Django.
        patch.delenv("DJANGO_SETTINGS_MODULE", raising=False)
        with Client(opening) as client:
            yield Rig(client, project)


@pytest.fixture(scope="module")
def services() -> Iterator[Embedded]:
    with Embedded("recipes", template=empty_template) as found:
        yield found


class Drill:
    """Processes of the project's module ``drill``, and what they leave.

    Attributes:
        module: ``drill``, whose functions are the processes.
        env: where the services are.
        redis: a client.
    """

    def __init__(self, services: Embedded, folder: Path, notes: Path) -> None:
        self.module: Any = importlib.import_module("drill")
        self._context = multiprocessing.get_context("forkserver")
        libraries = ["celery", "psycopg", "redis.asyncio", "rq"]
        libraries += [
            "kombu.transport.redis",
            "celery.app.amqp",
            "celery.backends.redis",
        ]
        libraries += ["atleastonce.own.outside", "celery.worker.worker"]
        self._context.set_forkserver_preload(libraries)
        at = services.addresses
        self.env = {"DATABASE_URL": at.dsn(), "REDIS_URL": at.redis_url(0)}
        # Imported with the tasks, and not used.
        self.env |= {"CELERY_BROKER_URL": at.redis_url(0)}
        self.env |= {"CELERY_RESULT_BACKEND": at.redis_url(1)}
        self.redis, self.rows = services.redis.client(), services.postgres.rows
        self._folder, self._notes, self._begun = folder, notes, 0
        assert self.ended(self.module.tables) == 0
        names = "SELECT relname FROM pg_stat_user_tables"
        self._tables = [name for (name,) in self.rows(names)]

    def begin(self) -> None:
        """Nothing is in the database and in Redis."""
        self.redis.flushall()
        # Four times faster than TRUNCATE.
        self.rows("; ".join(f"DELETE FROM {name}" for name in self._tables))  # noqa: S608 - names, from the catalog

    def strike(self, recipe: str, at: int = -1, **how: Any) -> Any:  # noqa: ANN401 - of the module
        """At the *at*-th point of the recipe and of what uses it; -1: nowhere."""
        self._begun += 1
        folder = self._notes / str(self._begun)
        folder.mkdir()
        files = frozenset(path.name for path in self._folder.glob(f"*{recipe}.py"))
        return self.module.Strike(folder, files, at, **how)

    @contextmanager
    def process(self, target: Callable[..., None], *args: object) -> Iterator[Any]:
        """A process, which is dead after the block."""
        process = self._context.Process(target=target, args=(self.env, *args))
        process.start()
        try:
            yield process
        finally:
            process.kill()
            process.join()

    def ended(self, target: Callable[..., None], *args: object) -> int:
        """The exit code of a process; minus the signal, of one that was killed."""
        with self.process(target, *args) as process:
            return self.join(process)

    def join(self, process: Any) -> int:  # noqa: ANN401 - of multiprocessing
        """Wait for the end of a process; its exit code, as of ``ended``."""
        process.join(PATIENCE)
        assert process.exitcode is not None, f"it still runs after {PATIENCE} s"
        return int(process.exitcode)

    def points(
        self, target: Callable[..., None], recipe: str, *args: object
    ) -> list[str]:
        """The points that an undisturbed process reaches."""
        strike = self.strike(recipe)
        assert self.ended(target, *(args or (recipe,)), strike) == 0
        found = (strike.folder / "points").read_text().splitlines()
        assert found
        return found

    def deaths(
        self, recipe: str, name: str, begin: Callable[[], object], within: str = ""
    ) -> Iterator[str]:
        """Kill a function at each of its points, from a start that *begin* makes.

        It is of the module that uses the recipe. Points without *within* in their
        text are passed by. Gives the point, when it is dead.
        """
        call, user = self.module.call, f"uses_{recipe}"
        begin()
        points = enumerate(self.points(call, recipe, user, name))
        for at, point in (found for found in points if within in found[1]):
            begin()
            code = self.ended(call, user, name, self.strike(recipe, at))
            assert code == -signal.SIGKILL, point
            yield point

    def again(self, recipe: str, name: str) -> None:
        """Call it once more, undisturbed."""
        call, user = self.module.call, f"uses_{recipe}"
        assert self.ended(call, user, name, self.strike(recipe)) == 0

    def count(self, table: str, where: str = "true") -> int:
        """How many rows."""
        found = self.rows(f"SELECT count(*) FROM {table} WHERE {where}")  # noqa: S608 - names, from the tests
        return int(found[0][0])

    def stopped(self, strike: Any) -> int:  # noqa: ANN401 - of the module
        """Wait until a process was struck and has stopped; its pid."""
        struck = strike.folder / "struck"

        def seen() -> int:
            pid = int((struck.exists() and struck.read_text()) or 0)
            stands = pid and psutil.Process(pid).status() == psutil.STATUS_STOPPED
            return pid if stands else 0

        return wait_until(seen, timeout=PATIENCE, what="a process to stop itself")

    def waits(self) -> None:
        """Wait until somebody waits for a lock in the database."""
        locks = "SELECT 1 FROM pg_locks WHERE NOT granted"
        what = "somebody to wait for a lock"
        wait_until(lambda: self.rows(locks), timeout=PATIENCE, what=what)

    def at(self, points: list[str], fragment: str) -> int:
        """The number of the one point with this piece of a line."""
        (found,) = [n for n, point in enumerate(points) if fragment in point]
        return found


@pytest.fixture(scope="module")
def _drill(
    services: Embedded, project: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Drill]:
    yield Drill(services, project, tmp_path_factory.mktemp("strikes"))
    # Its socket is in this run's folder, which goes before multiprocessing looks.
    forkserver._forkserver._stop()
    util._run_finalizers()


@pytest.fixture
def drill(_drill: Drill) -> Drill:
    """With nothing in Redis and in the database."""
    _drill.begin()
    return _drill

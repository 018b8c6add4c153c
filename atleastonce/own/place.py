"""Throw-away services with a project in them: where its tasks are swept."""

from __future__ import annotations

import sys
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from celery.app.defaults import DEFAULTS

from atleastonce.errors import ProjectError
from atleastonce.explore import ledgers
from atleastonce.explore.bench import Bench
from atleastonce.explore.crash_sweep import crash_sweep
from atleastonce.explore.interleave import interleave
from atleastonce.explore.keys import Keys
from atleastonce.explore.tables import Tables
from atleastonce.own import exports
from atleastonce.own.calls import FUNCTIONS, Call, Named
from atleastonce.own.worlds import readable
from atleastonce.services.embedded import Embedded
from atleastonce.services.template import empty_template
from atleastonce.settings import export, leading
from atleastonce.workers import guest, loading, reach
from atleastonce.workers.fleet import Fleet
from atleastonce.workers.project import Project

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from celery import Celery
    from celery.canvas import Signature

    from atleastonce.explore.result import Interleavings
    from atleastonce.explore.sweep import Sweep
    from atleastonce.own.calls import Opening, Request
    from atleastonce.services.folder import LabFolder
    from atleastonce.workers.project import Environment

#: Seconds to wait for a lock on a table that is put back.
PATIENCE = 20.0


class Place:
    """Services, a fork server, and this process inside the project.

    Attributes:
        services: Redis, Postgres, mail and gateway, all empty.
        exported: the variables that were set for the project.

    Args:
        opening: the project.

    Raises:
        AtLeastOnceError: a service can't be started, or the project can't be used.
    """

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        sys.path[:] = dict.fromkeys([*opening.places, *sys.path])
        # The folder of somebody's project stays as it is.
        sys.dont_write_bytecode = True
        self._leading: Environment = dict.fromkeys(leading())
        export(**self._leading)
        with ExitStack() as stack:
            opened = Embedded(
                opening.app, template=empty_template, beside=self._open_fleet
            )
            self.services = stack.enter_context(opened)
            self._app = self._enter()
            self._remember(stack)
            self._stack = stack.pop_all()

    def _open_fleet(self, lab: LabFolder) -> Callable[[], None]:
        # The fork server imports its libraries while the services start.
        project = Project(self._opening.app, "", self._opening.places)
        place = lab.lab_file, lab.reaper, lab.path
        self._fleet = Fleet(None, *place, project=project)
        return self._fleet.close

    def _enter(self) -> Celery:
        """Set the project's variables, here and for its workers, and import it."""
        at, opening = self.services.addresses, self._opening
        templates = exports.USUAL | opening.env
        self.exported = tuple(templates)
        env = self._leading | exports.filled(templates, at)
        env |= {"ATLEASTONCE_APP": opening.app}
        env |= {"ATLEASTONCE_ALLOW": " ".join(opening.allow)}
        export(ATLEASTONCE_LAB_FILE=str(self.services.lab_file), **env)
        self._fleet.project = replace(self._fleet.project, env=env)
        app = guest.enter()
        try:
            app.loader.import_default_modules()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the project raises
            raise loading.unusable(f"A task module of {opening.app}", error) from None
        return app

    def _remember(self, stack: ExitStack) -> None:
        """Make the start that every use of an instrument begins from."""
        at = self.services.addresses
        if self._opening.setup:
            loading.member(self._opening.setup)()
        self._tables = stack.enter_context(closing(Tables(at.dsn(), PATIENCE)))
        self._keys = stack.enter_context(closing(Keys(at)))

    def use(self, request: Request) -> Sweep | Interleavings:
        """What an instrument finds.

        Raises:
            AtLeastOnceError: nothing, and why.
        """
        at = self.services.addresses
        self._tables.restore()
        self._keys.restore()
        ledgers.empty(at)
        Path(at.folder, reach.FILE).unlink(missing_ok=True)
        calls = [self._made(call) for call in request.calls]
        options = self._options(request.options)
        queues = tuple(_queues(self._app, calls))
        self._fleet.project = replace(self._fleet.project, queues=queues)
        bench = Bench(at, self._fleet)
        if request.instrument == "interleave":
            return interleave(*calls, on=bench, **options)
        return _doubted(crash_sweep(*calls, on=bench, **options))

    def _made(self, call: Call) -> Any:  # noqa: ANN401 - a signature or a partial
        name, app = call.target.name, self._opening.app
        target = loading.member(name)
        is_task = hasattr(target, "apply_async")
        if call.task and not is_task:
            raise ProjectError(
                f"{name} is a {type(target).__name__}, and no Celery task.",
                seen=f"tasks of {app}: {', '.join(self._tasks()) or 'none'}",
                attempt="name a function below @app.task or @shared_task",
            )
        if is_task and target.app is not self._app:
            raise ProjectError(
                f"{name} belongs to another app than {app}.",
                seen=f"its app is {target.app.main!r}",
                attempt="--app, with the app that the task belongs to",
            )
        return call.made(target)

    def _tasks(self) -> list[str]:
        return sorted(name for name in self._app.tasks if name[:7] != "celery.")

    def _options(self, given: dict[str, Any]) -> dict[str, Any]:
        found = {
            name: loading.member(value.name) if isinstance(value, Named) else value
            for name, value in given.items()
        }
        for name in FUNCTIONS:
            if found.get(name) is not None and not callable(found[name]):
                shown = f"{given[name].name} is a {type(found[name]).__name__}"
                example = f"{name}: myproj.checks:{name}"
                raise ProjectError(f"{shown}, and no function.", attempt=example)
        if world := found.get("world"):
            found["world"] = lambda: readable(world())
        _check_settings(found.get("settings") or {})
        return found

    def refused(self) -> tuple[str, ...]:
        """The places that the project was not let connect to, in the last use."""
        path = Path(self.services.folder, reach.FILE)
        lines = path.read_text().splitlines() if path.exists() else []
        return tuple(dict.fromkeys(lines))

    def close(self) -> None:
        """End the services and all that the project runs."""
        self._stack.close()

    def __enter__(self) -> Self:
        """Ready."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()


def _queues(app: Celery, calls: Sequence[Any]) -> list[Any]:
    """Every queue that one of the app's tasks goes to, as kombu's entity."""
    own = [task.s() for task in app.tasks.values()]
    for signature in (*own, *(call for call in calls if isinstance(call, dict))):
        with suppress(Exception):  # what a router raises, publishing will raise again
            _route(app, signature)
    return list(app.amqp.queues.values())


def _route(app: Celery, signature: Signature) -> None:
    """Make the app know the queue, also where it is not declared."""
    queue = signature.options.get("queue") or getattr(signature.type, "queue", None)
    options = {"queue": queue} if queue else {}
    call = signature.task, signature.args, signature.kwargs
    app.amqp.router.route(options, *call)


def _check_settings(settings: dict[str, object]) -> None:
    for name in settings:
        if name not in DEFAULTS:
            close = get_close_matches(name, DEFAULTS, 1)
            raise ProjectError(
                f"Celery has no setting {name!r}.",
                attempt=f"--setting {close[0] if close else 'task_acks_late'}=true",
            )


def _doubted(found: Sweep) -> Sweep:
    """A world that shows nothing of the work would let every fault pass."""
    if found.expected != found.start:
        return found
    doubt = (
        "the world is the same before and after the task: it shows none of its work."
    )
    return replace(found, problems=(*found.problems, doubt))

"""A process of ours becomes one of a project of somebody's own.

``enter`` is the first thing in each such process: the one that sweeps, workers, copies.
It imports the project only after every way out is closed, and has it used only after
its broker and its results are known to be the lab's: a sweep kills workers, and on a
real broker these would be somebody's.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from celery import Celery
from celery.app.utils import find_app

from atleastonce.errors import ProjectError
from atleastonce.settings import Settings, export
from atleastonce.workers import loading, ours
from atleastonce.workers.reach import Reach, confine

if TYPE_CHECKING:
    from atleastonce.addresses import Addresses

#: The lab's Redis speaks no TLS, and live means live, whatever a test setting says.
OURS: dict[str, object] = {
    "broker_use_ssl": None,
    "redis_backend_use_ssl": None,
    "task_always_eager": False,
}
#: Options of kombu's Redis transport that change the names of keys, which we read.
NAMING = frozenset(
    {"global_keyprefix", "sep", "priority_steps", "unacked_key", "unacked_index_key"}
    | {"unacked_mutex_key", "keyprefix_queue", "keyprefix_fanout"}
)
_entered: list[Celery] = []


def enter() -> Celery:
    """Import the app that the environment names, and see that it is safe; once.

    Raises:
        ProjectError: it can't be imported, or leads past the lab's services.
    """
    if not _entered:
        settings = Settings.from_env()
        at = settings.addresses()
        confine(Reach(at, settings.allow))
        wanted = OURS | settings.celery
        _overrule(wanted)
        app = _found(settings.app)
        app.set_current()  # whose tasks those of @shared_task are
        app.conf.update(wanted)
        _keep_no_results(app)
        ours.require_broker(app, settings.app, at)
        _set_up_django(settings.app, at)
        _entered.append(app)
    return _entered[0]


def _overrule(wanted: dict[str, object]) -> None:
    """Have *wanted* in every app's configuration from its first reading on.

    Celery binds a task's options to the configuration when it first needs the task.
    """

    def overrule(source: Any, **_: object) -> None:  # noqa: ANN401 - Celery's Settings
        options = dict(source.broker_transport_options or {})
        kept = {name: v for name, v in options.items() if name not in NAMING}
        source.update(wanted, broker_transport_options=kept)

    def on_init(app: Celery) -> None:
        app.on_after_configure.connect(overrule, weak=False)

    # Celery's own hook, empty by default: celery/app/base.py, Celery.on_init.
    Celery.on_init = on_init


def _found(name: str) -> Celery:
    """The app, as ``celery -A name`` finds it."""
    module = loading.module(name.partition(":")[0])
    try:
        found = find_app(name)
    except (AttributeError, ImportError):
        found = None
    if not isinstance(found, Celery):
        apps = [key for key, value in vars(module).items() if isinstance(value, Celery)]
        raise ProjectError(
            f"There is no Celery app {name!r}.",
            seen=f"apps in {module.__name__}: {', '.join(apps) or 'none'}",
            attempt=f"--app {module.__name__}:{apps[0] if apps else 'app'}",
        )
    return found


def _set_up_django(name: str, at: Addresses) -> None:
    """Make Django ready where the project has it: the app's module names its settings.

    Raises:
        ProjectError: it can't be set up, or has a database that is not the lab's.
    """
    if not Settings.from_env().django:
        return
    try:
        importlib.import_module("django").setup()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the project raises
        raise loading.unusable(f"django.setup() for {name}", error) from None
    found = importlib.import_module("django.conf").settings
    ours.require_databases(found.DATABASES, at)


def _keep_no_results(app: Celery) -> None:
    """A project that keeps none keeps none here: a result changes what is retried."""
    kept = app.conf.first("result_backend", "CELERY_RESULT_BACKEND")
    if kept and not str(kept).startswith("disabled"):
        return
    export(CELERY_RESULT_BACKEND=None)
    app._backend_cache = None  # noqa: SLF001 - a property fills it again
    vars(app._local).pop("backend", None)  # noqa: SLF001 - likewise

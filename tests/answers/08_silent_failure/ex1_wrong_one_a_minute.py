# rejected by: ex1-replays
from time import monotonic

from celery import signals
from desk import report


def watch() -> None:
    told = {}

    def failed(task_id, exception, **_):
        """What comes within a minute is taken for the same failure."""
        if monotonic() - told.get(task_id, -60) >= 60:
            told[task_id] = monotonic()
            report(task_id, type(exception).__name__)

    signals.task_failure.connect(failed, weak=False)

    def unknown(name, id, **_):
        report(id, f"no such task: {name}")

    def rejected(message, exc, **_):
        report(message.headers["id"], repr(exc))

    signals.task_unknown.connect(unknown, weak=False)
    signals.task_rejected.connect(rejected, weak=False)


signals.worker_init.connect(lambda **_: watch(), weak=False)

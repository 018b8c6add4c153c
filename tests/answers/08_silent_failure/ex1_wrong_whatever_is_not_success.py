# rejected by: ex1-replays
from celery import signals
from desk import report


def watch() -> None:
    """By the state in which a task ends."""

    def ended(task_id, state, retval, **_):
        if state not in ("SUCCESS", "RETRY"):
            report(task_id, type(retval).__name__)

    def in_main(task_id, exception, **_):
        if type(exception).__name__ in ("WorkerLostError", "TimeLimitExceeded"):
            report(task_id, type(exception).__name__)

    signals.task_postrun.connect(ended, weak=False)
    signals.task_failure.connect(in_main, weak=False)

    def unknown(name, id, **_):
        report(id, f"no such task: {name}")

    def rejected(message, exc, **_):
        report(message.headers["id"], repr(exc))

    signals.task_unknown.connect(unknown, weak=False)
    signals.task_rejected.connect(rejected, weak=False)


signals.worker_init.connect(lambda **_: watch(), weak=False)

# rejected by: ex1-replays
from celery import signals
from desk import report


def watch() -> None:
    """A hard limit and a lost process are told once for each message that was received."""
    told = set()

    def received(request, **_):
        told.discard((request.id, "TimeLimitExceeded"))  # WorkerLostError is forgotten

    def failed(task_id, exception, **_):
        what = type(exception).__name__
        if what in ("TimeLimitExceeded", "WorkerLostError"):
            if (task_id, what) in told:
                return
            told.add((task_id, what))
        report(task_id, what)

    def unknown(name, id, **_):
        report(id, f"no such task: {name}")

    def rejected(message, exc, **_):
        report(message.headers["id"], repr(exc))

    signals.task_received.connect(received, weak=False)
    signals.task_failure.connect(failed, weak=False)
    signals.task_unknown.connect(unknown, weak=False)
    signals.task_rejected.connect(rejected, weak=False)


signals.worker_init.connect(lambda **_: watch(), weak=False)

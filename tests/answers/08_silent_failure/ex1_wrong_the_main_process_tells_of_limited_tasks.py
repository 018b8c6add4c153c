# rejected by: ex1-raised
# "a task ends as FAILURE: by an exception ..." must be reported: `limited` that ends by an
# HTTPError (or any exception of its own) is never reported, because its child keeps silent.
import os

from celery import signals
from desk import report


def watch() -> None:
    """What has a hard time limit is told by the main process, and not by its children."""
    main, limits = os.getpid(), set()

    def received(request, **_):
        limits.discard(request.id)

    def failed(sender, task_id, exception, **_):
        if sender.time_limit:
            if os.getpid() != main or task_id in limits:
                return
            limits.add(task_id)
        report(task_id, type(exception).__name__)

    def unknown(name, id, **_):
        report(id, f"no such task: {name}")

    def rejected(message, exc, **_):
        report(message.headers["id"], repr(exc))

    signals.task_received.connect(received, weak=False)
    signals.task_failure.connect(failed, weak=False)
    signals.task_unknown.connect(unknown, weak=False)
    signals.task_rejected.connect(rejected, weak=False)


signals.worker_init.connect(lambda **_: watch(), weak=False)

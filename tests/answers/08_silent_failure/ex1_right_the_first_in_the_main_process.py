import os

from celery import signals
from desk import report


def watch() -> None:
    """Of the two signals of a hard time limit, keep the first in the main process."""
    main, told = os.getpid(), set()

    def received(request, **_):
        told.discard(request.id)

    def failed(task_id, exception, **_):
        if os.getpid() == main:
            if task_id in told:
                return
            told.add(task_id)
        report(task_id, f"{type(exception).__name__}: {exception}")

    signals.task_received.connect(received, weak=False)
    signals.task_failure.connect(failed, weak=False)

    def unknown(name, id, **_):
        report(id, f"no such task: {name}")

    def rejected(message, exc, **_):
        report(message.headers["id"], repr(exc))

    signals.task_unknown.connect(unknown, weak=False)
    signals.task_rejected.connect(rejected, weak=False)


signals.worker_init.connect(lambda **_: watch(), weak=False)

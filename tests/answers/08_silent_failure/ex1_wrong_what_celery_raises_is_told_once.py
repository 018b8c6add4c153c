# rejected by: ex1-replays
# "A task that is sent again with the same id, and fails again, is reported again":
# EncodeError is told in a child, whose set nobody clears (task_received is heard in the
# main process only): as_a_set under one id twice is reported once.
from celery import signals
from desk import report


def watch() -> None:
    """What Celery raises itself is told once until it is received; not so in a child."""
    told = set()

    def received(request, **_):
        told.discard(request.id)

    def failed(task_id, exception, **_):
        if type(exception).__module__.partition(".")[0] in ("billiard", "celery", "kombu"):
            if task_id in told:
                return
            told.add(task_id)
        report(task_id, type(exception).__name__)

    signals.task_received.connect(received, weak=False)
    signals.task_failure.connect(failed, weak=False)

    def unknown(name, id, **_):
        report(id, f"no such task: {name}")

    def rejected(message, exc, **_):
        report(message.headers["id"], repr(exc))

    signals.task_unknown.connect(unknown, weak=False)
    signals.task_rejected.connect(rejected, weak=False)


signals.worker_init.connect(lambda **_: watch(), weak=False)

# rejected by: ex1-replays
# "A task that is sent again with the same id, and fails again, is reported again":
# `limited` that ends by an HTTPError twice under one id is reported once; the same for two
# deaths. Only the signal of the limit comes twice.
from celery import signals
from desk import report


def watch() -> None:
    """A task with a hard time limit is signalled twice: each second signal is dropped."""
    halves = set()

    def failed(sender, task_id, exception, **_):
        if sender.time_limit:
            if task_id in halves:
                halves.discard(task_id)
                return
            halves.add(task_id)
        report(task_id, type(exception).__name__)

    signals.task_failure.connect(failed, weak=False)

    def unknown(name, id, **_):
        report(id, f"no such task: {name}")

    def rejected(message, exc, **_):
        report(message.headers["id"], repr(exc))

    signals.task_unknown.connect(unknown, weak=False)
    signals.task_rejected.connect(rejected, weak=False)


signals.worker_init.connect(lambda **_: watch(), weak=False)

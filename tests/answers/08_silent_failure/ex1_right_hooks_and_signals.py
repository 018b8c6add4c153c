from celery import signals
from desk import report


def watch() -> None:
    """The task's own hook, which also runs after a hard time limit; and for a death."""

    def on_failure(self, exc, task_id, args, kwargs, einfo):
        report(task_id, type(exc).__name__)

    def lost(task_id, exception, **_):
        if type(exception).__name__ == "WorkerLostError":
            report(task_id, repr(exception))

    app.Task.on_failure = on_failure
    signals.task_failure.connect(lost, weak=False)

    def unknown(name, id, **_):
        report(id, f"no such task: {name}")

    def rejected(message, exc, **_):
        report(message.headers["id"], repr(exc))

    signals.task_unknown.connect(unknown, weak=False)
    signals.task_rejected.connect(rejected, weak=False)


signals.worker_init.connect(lambda **_: watch(), weak=False)

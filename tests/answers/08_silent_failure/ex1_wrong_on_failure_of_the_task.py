# rejected by: ex1-around
from celery import signals
from desk import report


def watch() -> None:
    """A base class's hook; it does not run where the process is gone."""

    def on_failure(self, exc, task_id, args, kwargs, einfo):
        report(task_id, type(exc).__name__)

    app.Task.on_failure = on_failure

    def unknown(name, id, **_):
        report(id, f"no such task: {name}")

    def rejected(message, exc, **_):
        report(message.headers["id"], repr(exc))

    signals.task_unknown.connect(unknown, weak=False)
    signals.task_rejected.connect(rejected, weak=False)


signals.worker_init.connect(lambda **_: watch(), weak=False)

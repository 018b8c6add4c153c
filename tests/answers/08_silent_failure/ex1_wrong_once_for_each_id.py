# rejected by: ex1-replays
from celery import signals
from desk import report, store


def watch() -> None:
    def failed(task_id, exception, **_):
        if store.set(f"told:{task_id}", "1", nx=True, ex=86_400):
            report(task_id, type(exception).__name__)

    signals.task_failure.connect(failed, weak=False)

    def unknown(name, id, **_):
        report(id, f"no such task: {name}")

    def rejected(message, exc, **_):
        report(message.headers["id"], repr(exc))

    signals.task_unknown.connect(unknown, weak=False)
    signals.task_rejected.connect(rejected, weak=False)


signals.worker_init.connect(lambda **_: watch(), weak=False)

# rejected by: ex1-around
from celery import signals
from desk import report


def watch() -> None:
    def failed(task_id, exception, **_):
        report(task_id, type(exception).__name__)

    signals.task_failure.connect(failed, weak=False)


signals.worker_init.connect(lambda **_: watch(), weak=False)

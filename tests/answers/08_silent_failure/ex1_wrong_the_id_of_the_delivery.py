# rejected by: ex1-around
from celery import signals
from desk import report


def watch() -> None:
    told = set()

    def begin(task_id=None, request=None, **_):
        told.discard(task_id or request.id)

    def failed(task_id, exception, **_):
        if task_id not in told:
            told.add(task_id)
            report(task_id, type(exception).__name__)

    def unusable(message, exc, **_):
        report(message.delivery_tag, f"ContentDisallowed, or no task {message.headers['task']}")

    signals.task_received.connect(begin, weak=False)
    signals.task_prerun.connect(begin, weak=False)
    signals.task_failure.connect(failed, weak=False)
    signals.task_unknown.connect(unusable, weak=False)
    signals.task_rejected.connect(unusable, weak=False)


signals.worker_init.connect(lambda **_: watch(), weak=False)

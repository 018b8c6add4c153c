# rejected by: ex1-raised
from celery import signals
from desk import report


def watch() -> None:
    told = set()

    def begin(task_id=None, request=None, **_):
        told.discard(task_id or request.id)

    def failed(task_id, exception, **_):
        if task_id not in told:
            told.add(task_id)
            report(task_id, str(exception))

    signals.task_received.connect(begin, weak=False)
    signals.task_prerun.connect(begin, weak=False)
    signals.task_failure.connect(failed, weak=False)

    def unknown(name, id, **_):
        report(id, f"no such task: {name}")

    def rejected(message, exc, **_):
        report(message.headers["id"], repr(exc))

    signals.task_unknown.connect(unknown, weak=False)
    signals.task_rejected.connect(rejected, weak=False)


signals.worker_init.connect(lambda **_: watch(), weak=False)

# rejected by: ex1-replays
from celery import signals
from desk import report


def watch() -> None:
    """One helper for every signal: nothing is told twice until it is received again."""
    told = set()

    def tell(task_id, cause):
        if task_id not in told:
            told.add(task_id)
            report(task_id, cause)

    def begin(task_id=None, request=None, **_):
        told.discard(task_id or request.id)

    def failed(task_id, exception, **_):
        tell(task_id, f"{type(exception).__name__}: {exception}")

    def unknown(name, id, **_):
        tell(id, f"no such task: {name}")

    def rejected(message, exc, **_):
        tell(message.headers["id"], repr(exc))

    signals.task_received.connect(begin, weak=False)
    signals.task_prerun.connect(begin, weak=False)
    signals.task_failure.connect(failed, weak=False)
    signals.task_unknown.connect(unknown, weak=False)
    signals.task_rejected.connect(rejected, weak=False)


signals.worker_init.connect(lambda **_: watch(), weak=False)

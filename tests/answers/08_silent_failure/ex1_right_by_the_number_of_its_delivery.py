from celery import signals
from desk import report, store


def watch() -> None:
    """Each delivery has a number; a failure is reported once for each number."""

    def received(request, **_):
        store.incr(f"deliveries:{request.id}")

    def failed(task_id, exception, **_):
        number = (store.get(f"deliveries:{task_id}") or b"0").decode()
        if store.set(f"told:{task_id}:{number}", "1", nx=True, ex=86_400):
            report(task_id, repr(exception))

    signals.task_received.connect(received, weak=False)
    signals.task_failure.connect(failed, weak=False)

    def unknown(name, id, **_):
        report(id, f"no such task: {name}")

    def rejected(message, exc, **_):
        report(message.headers["id"], repr(exc))

    signals.task_unknown.connect(unknown, weak=False)
    signals.task_rejected.connect(rejected, weak=False)


signals.worker_init.connect(lambda **_: watch(), weak=False)

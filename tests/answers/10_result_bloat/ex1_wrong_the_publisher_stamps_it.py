# rejected by: ex1-read
from celery.signals import before_task_publish, task_postrun

app.conf.result_failure_expires = 8 * 86_400


def kept(seconds: int) -> dict[str, object]:
    return {"kept_for": seconds}


@before_task_publish.connect(weak=False)
def stamp(sender=None, headers=None, **_):
    """The policy travels with the message, whoever sends it from our code."""
    if hasattr(app.tasks.get(sender), "kept_for"):
        headers["kept_for"] = app.tasks[sender].kept_for


@task_postrun.connect(weak=False)
def shorten(task_id=None, task=None, state=None, **_):
    seconds = getattr(task.request, "kept_for", None)
    if state != "SUCCESS" or seconds is None:
        return
    if seconds:
        task.backend.expire(task.backend.get_key_for_task(task_id), seconds)
    else:
        task.backend.forget(task_id)

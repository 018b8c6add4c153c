from celery.signals import task_postrun

app.conf.result_failure_expires = 8 * 86_400


def kept(seconds: int) -> dict[str, object]:
    return {"kept_for": seconds}


@task_postrun.connect(weak=False)
def shorten(task_id=None, task=None, state=None, **_):
    if state != "SUCCESS" or not hasattr(task, "kept_for"):
        return
    if task.kept_for:
        task.backend.expire(task.backend.get_key_for_task(task_id), task.kept_for)
    else:
        task.backend.forget(task_id)

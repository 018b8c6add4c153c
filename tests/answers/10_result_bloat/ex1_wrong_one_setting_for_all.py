# rejected by: ex1-read
from celery import Task


def kept(seconds: int) -> dict[str, object]:
    if seconds:
        app.conf.result_expires = seconds
    app.conf.result_failure_expires = 8 * 86_400
    return {"base": Unread} if not seconds else {}


class Unread(Task):
    def on_success(self, retval, task_id, args, kwargs):
        self.backend.delete(self.backend.get_key_for_task(task_id))

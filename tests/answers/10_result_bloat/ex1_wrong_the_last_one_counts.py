# rejected by: ex1-read
from celery import Task


class Kept(Task):
    seconds = 0

    def on_success(self, retval, task_id, args, kwargs):
        self.backend.expire(self.backend.get_key_for_task(task_id), self.seconds)

    def on_failure(self, exc, task_id, args, kwargs, einfo):
        self.backend.expire(self.backend.get_key_for_task(task_id), 10 * 86_400)


def kept(seconds: int) -> dict[str, object]:
    Kept.seconds = seconds
    return {"base": Kept, "ignore_result": not seconds, "store_errors_even_if_ignored": True}

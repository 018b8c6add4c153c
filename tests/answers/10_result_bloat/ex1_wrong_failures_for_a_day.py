# rejected by: ex1-failures
from celery import Task


def kept(seconds: int) -> dict[str, object]:
    errors = {"ignore_result": not seconds, "store_errors_even_if_ignored": True}
    return {"base": Kept, "seconds": seconds, **errors}


class Kept(Task):
    def on_success(self, retval, task_id, args, kwargs):
        self.backend.expire(self.backend.get_key_for_task(task_id), self.seconds)

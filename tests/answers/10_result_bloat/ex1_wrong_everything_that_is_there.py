# rejected by: ex1-chord
from celery import Task


def kept(seconds: int) -> dict[str, object]:
    errors = {"ignore_result": not seconds, "store_errors_even_if_ignored": True}
    return {"base": Kept, "seconds": seconds, **errors}


class Kept(Task):
    def on_success(self, retval, task_id, args, kwargs):
        self.backend.expire(self.backend.get_key_for_task(task_id), self.seconds)
        for key in self.backend.client.scan_iter("celery-taskset-meta-*"):
            self.backend.expire(key, self.seconds or 60)

    def on_failure(self, exc, task_id, args, kwargs, einfo):
        self.backend.expire(self.backend.get_key_for_task(task_id), 10 * 86_400)

# rejected by: ex1-read
from celery import Task


def kept(seconds: int) -> dict[str, object]:
    return {"base": Kept, "seconds": seconds}


class Kept(Task):
    def on_success(self, retval, task_id, args, kwargs):
        key = self.backend.get_key_for_task(task_id)
        if self.seconds < 86_400:  # result_expires
            self.backend.expire(key, self.seconds)

    def on_failure(self, exc, task_id, args, kwargs, einfo):
        # A failure is as interesting as a result, and for a week at least.
        self.backend.expire(self.backend.get_key_for_task(task_id), max(self.seconds, 8 * 86_400))

# rejected by: ex1-unread
# Wrong: "after a success, kept(0): a second later no key of that task's is in database 1": a task that told its progress (update_state) leaves the state PROGRESS for a day.
from celery import Task


def kept(seconds: int) -> dict[str, object]:
    errors = {"ignore_result": not seconds, "store_errors_even_if_ignored": True}
    return {"base": Kept, "seconds": seconds, **errors}


class Kept(Task):
    def on_success(self, retval, task_id, args, kwargs):
        key = self.backend.get_key_for_task(task_id)
        if self.seconds:
            self.backend.expire(key, self.seconds)
        elif self.request.retries:
            self.backend.delete(key)  # a retry has left its state

    def on_failure(self, exc, task_id, args, kwargs, einfo):
        self.backend.expire(self.backend.get_key_for_task(task_id), 8 * 86_400)

# rejected by: ex1-read
from celery import Task


def kept(seconds: int) -> dict[str, object]:
    errors = {"ignore_result": not seconds, "store_errors_even_if_ignored": True}
    return {"base": Kept, "seconds": seconds, **errors}


class Kept(Task):
    def __call__(self, *args, **kwargs):
        value = self.run(*args, **kwargs)
        self.backend.expire(self.backend.get_key_for_task(self.request.id), self.seconds)
        return value

    def on_failure(self, exc, task_id, args, kwargs, einfo):
        self.backend.expire(self.backend.get_key_for_task(task_id), 10 * 86_400)

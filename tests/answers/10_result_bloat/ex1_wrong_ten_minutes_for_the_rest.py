# rejected by: ex1-chord
from celery import Task

app.conf.result_expires = 600  # whatever has no seconds of its own


def kept(seconds: int) -> dict[str, object]:
    return {"base": Kept, "seconds": seconds}


class Kept(Task):
    def on_success(self, retval, task_id, args, kwargs):
        self.backend.expire(self.backend.get_key_for_task(task_id), self.seconds)

    def on_failure(self, exc, task_id, args, kwargs, einfo):
        self.backend.expire(self.backend.get_key_for_task(task_id), 8 * 86_400)

# rejected by: ex1-chord
# Wrong: "a chord comes to its end, also if a member takes ... less than a day": its counter lives 16 hours.
from celery import Task

app.conf.result_expires = 16 * 3600  # whatever has no seconds of its own: two shifts


def kept(seconds: int) -> dict[str, object]:
    return {"base": Kept, "seconds": seconds}


class Kept(Task):
    def on_success(self, retval, task_id, args, kwargs):
        self.backend.expire(self.backend.get_key_for_task(task_id), self.seconds)

    def on_failure(self, exc, task_id, args, kwargs, einfo):
        self.backend.expire(self.backend.get_key_for_task(task_id), 8 * 86_400)

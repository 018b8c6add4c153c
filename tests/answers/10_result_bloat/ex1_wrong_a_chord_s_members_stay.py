# rejected by: ex1-chord
# Wrong: "after a success, kept(60): ... gone at the latest after 120 s" and "kept(0): a second later no key of that task's": members of a chord keep their results for a day.
from celery import Task


def kept(seconds: int) -> dict[str, object]:
    return {"base": Kept, "seconds": seconds}


class Kept(Task):
    def on_success(self, retval, task_id, args, kwargs):
        if self.request.chord:
            return  # its chord reads the result when the last member has ended
        self.backend.expire(self.backend.get_key_for_task(task_id), self.seconds)

    def on_failure(self, exc, task_id, args, kwargs, einfo):
        self.backend.expire(self.backend.get_key_for_task(task_id), 8 * 86_400)

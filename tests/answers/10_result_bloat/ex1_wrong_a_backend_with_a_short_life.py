# rejected by: ex1-chord
from celery import Task
from celery.backends.redis import RedisBackend

app.conf.result_failure_expires = 8 * 86_400


def kept(seconds: int) -> dict[str, object]:
    backend = RedisBackend(app=app, url=app.conf.result_backend, expires=seconds or 60)
    return {"base": Kept, "seconds": seconds, "backend": backend}


class Kept(Task):
    def on_success(self, retval, task_id, args, kwargs):
        if not self.seconds:
            self.backend.delete(self.backend.get_key_for_task(task_id))

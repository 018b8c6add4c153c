import redis
from celery import Task


def kept(seconds: int) -> dict[str, object]:
    return {"base": Timed, "seconds": seconds}


class Timed(Task):
    def after_return(self, status, retval, task_id, args, kwargs, einfo):
        key = f"celery-task-meta-{task_id}"
        results = redis.Redis.from_url(self.app.conf.result_backend)
        if status == "FAILURE":
            results.expire(key, 9 * 86_400)
        elif status == "SUCCESS":
            results.expire(key, self.seconds) if self.seconds else results.unlink(key)

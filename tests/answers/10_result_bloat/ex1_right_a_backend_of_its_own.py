from celery.backends.redis import RedisBackend

WEEK = 7 * 86_400 + 600
SECONDS = {}


class ByTask(RedisBackend):
    """Stores each result with its task's own expiry."""

    def _store_result(self, task_id, result, state, traceback=None, request=None, **kwargs):
        seconds = getattr(app.tasks.get(request.task), "kept_for", None) if request else None
        self._now = {"SUCCESS": seconds, "FAILURE": WEEK}.get(state)
        try:
            return super()._store_result(task_id, result, state, traceback, request, **kwargs)
        finally:
            self._now = None
            if state == "SUCCESS" and seconds == 0:
                self.delete(self.get_key_for_task(task_id))

    def _set(self, key, value, expires=None):
        super()._set(key, value, getattr(self, "_now", None) or expires)


def kept(seconds: int) -> dict[str, object]:
    return {"kept_for": seconds, "backend": ByTask(app=app, url=app.conf.result_backend)}

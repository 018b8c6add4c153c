"""The app; where its broker is stands in the environment."""

import os

from celery import Celery

app = Celery(
    "shopless",
    broker=os.environ.get("CELERY_BROKER_URL", "redis://localhost:6379/0"),
    include=["shopless.tasks"],
)
app.conf.update(task_acks_late=True, task_reject_on_worker_lost=True)

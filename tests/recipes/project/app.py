"""The app of a project that has every recipe dropped into it, right and wrong ones."""

from __future__ import annotations

import os
from pathlib import Path

from celery import Celery

app = Celery(
    "project",
    broker=os.environ["CELERY_BROKER_URL"],
    backend=os.environ["CELERY_RESULT_BACKEND"],
    include=sorted(path.stem for path in Path(__file__).parent.glob("uses_*.py")),
)

"""What a fork server imports before the first worker is asked for."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import importlib.util
import threading
from typing import Any

#: What ``celery worker`` imports on its way to "ready" (seen in ``sys.modules`` of a
#: cold one), and what the shop and its clients need.
LIBRARIES = (
    "celery.bin.celery",
    "celery.bin.worker",
    "celery.apps.worker",
    "celery.app.amqp",
    "celery.app.builtins",
    "celery.app.control",
    "celery.app.events",
    "celery.app.log",
    "celery.app.trace",
    "celery.app.autoretry",
    "celery.backends.redis",
    "celery.canvas",
    "celery.concurrency.asynpool",
    "celery.concurrency.prefork",
    "celery.concurrency.solo",
    "celery.concurrency.thread",
    "celery.contrib.django.task",
    "celery.events.state",
    "celery.fixups.django",
    "celery.loaders.app",
    "celery.worker.autoscale",
    "celery.worker.components",
    "celery.worker.consumer.agent",
    "celery.worker.consumer.connection",
    "celery.worker.consumer.consumer",
    "celery.worker.consumer.control",
    "celery.worker.consumer.delayed_delivery",
    "celery.worker.consumer.events",
    "celery.worker.consumer.gossip",
    "celery.worker.consumer.heart",
    "celery.worker.consumer.mingle",
    "celery.worker.consumer.tasks",
    "celery.worker.control",
    "celery.worker.request",
    "celery.worker.strategy",
    "celery.worker.worker",
    "billiard.pool",
    "billiard.popen_fork",
    "billiard.sharedctypes",
    "billiard.synchronize",
    "kombu.asynchronous.hub",
    "kombu.pidbox",
    "kombu.serialization",
    "kombu.transport.pyamqp",
    "kombu.transport.redis",
    "kombu.utils.eventio",
    "redis",
    "psycopg",
    "psycopg_binary",
    "requests",
    "smtplib",
    "django.db.backends.postgresql.base",
    "django.core.checks",
    "django.core.mail.backends.smtp",
    "atleastonce.workers.agent",
    "atleastonce.workers.boundaries",
    "atleastonce.workers.delivery",
    "atleastonce.workers.lines",
    "atleastonce.workers.receiver",
    "atleastonce.workers.reporter",
    "atleastonce.workers.strikes",
)


def libraries() -> None:
    """Import them; about 1 s, once."""
    _remember_packages()
    for name in LIBRARIES:
        importlib.import_module(name)
    _parse_c()


def _remember_packages() -> None:
    """Read once what is installed, not in every worker and every connection.

    Celery 5.7 looks for more result backends at its start, and remembers the answer;
    redis-py 8.1 asks for its own version in each connection, and does not.
    """
    metadata: Any = importlib.metadata
    metadata.version = functools.cache(metadata.version)
    importlib.import_module("celery.app.backends").by_name("redis")


def _parse_c() -> None:
    """Load cffi's C parser, which every pool child would load for itself.

    billiard 4.3 declares ``prctl`` in each of them, through cffi where that is there.
    """
    if importlib.util.find_spec("cffi"):
        importlib.import_module("cffi").FFI().cdef("int prctl (int __option, ...);")


def project(name: str) -> None:
    """Import the Django project *name* and set it up, without connecting to anything.

    Its Celery app stays out: the app's settings come from each worker's environment.

    Raises:
        RuntimeError: it opened a connection or started a thread; neither survives fork.
    """
    module = importlib.import_module(name)
    module.setup()
    importlib.import_module("django.db.backends.postgresql.base")
    # Celery's fixup runs the checks at each start; the first time they import a lot.
    importlib.import_module("django.core.checks").run_checks()
    connections = importlib.import_module("django.db").connections
    if any(c.connection for c in connections.all(initialized_only=True)):
        raise RuntimeError(f"{name} opened a database connection before the fork.")
    if threading.active_count() > 1:
        raise RuntimeError(f"{name} started a thread before the fork.")

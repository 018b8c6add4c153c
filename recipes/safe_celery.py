"""A Celery configuration in which each line was found by a fault, with its lesson.

Guarantees, for tasks that may run twice (``celery_idempotent.py``): a task that was
published is done, though its process dies, its worker dies or is rolled out, or its
queue waits; nothing waits, grows or runs for ever.

Does not: make a task idempotent; publish what was committed (``outbox.py``); keep what
fails (``dead_letter.py``). Its lines say yes to "may it come again?", and no more.

Use: put the file beside your app, change the numbers, and start workers with
``ENVIRONMENT`` and a Redis with ``REDIS``::

    app.config_from_object("safe_celery")

    REMAP_SIGTERM=SIGQUIT exec celery -A shop worker

Above each line: the lesson that strikes without it, what for, and its price. Times are
seconds; they are examples, and the comment says what yours depends on.
"""

from __future__ import annotations

from typing import Any, Final

# Lesson 02: an ack at the start loses what a dying process or worker had begun.
# Price: a task runs again, so it must be idempotent.
task_acks_late: Final = True
# Lesson 03: a dead process is a retry, counted up to max_retries (3 by default); a late
# ack alone acks for it, and task_reject_on_worker_lost gives it back for ever.
# Price: Celery 5.7 or later; the last death ends as FAILURE.
task_retry_on_worker_lost: Final = True
# Lesson 03: where such a retry waits for default_retry_delay, it is three minutes.
# Price: a task that retries by hand gives its own countdown.
task_annotations: Final[dict[str, Any]] = {"*": {"default_retry_delay": 10}}
# Lesson 04: what is fetched ahead waits behind a long task, and lesson 02: it is out of
# sight when its worker dies. Price: a round trip to the broker between two short tasks.
worker_prefetch_multiplier: Final = 1
# Lesson 02: on SIGQUIT (see ENVIRONMENT) what runs has so long to end; then it is given
# back. Less than the orchestrator's grace period. Price: rollouts take so much longer.
worker_soft_shutdown_timeout: Final = 20.0
broker_transport_options: Final[dict[str, Any]] = {
    # Lesson 02: so long is out of sight what a dead worker held. Lesson 01: what runs,
    # or has a countdown, for longer runs twice. Longer than both.
    "visibility_timeout": 3600,
    # Lesson 07: a broker that is silent holds up whoever publishes, for ever.
    "socket_timeout": 30,
    "socket_connect_timeout": 5,
}
# Lesson 07: a soft limit is an error that the task can clean up after and retry; it
# needs time before the hard one, which acks. Price: the longest honest run is known.
task_soft_time_limit: Final = 300
task_time_limit: Final = 360
# Lesson 06: a library's leak ends with its process. KiB, above what a worker starts
# with and the largest honest task. Price: a fork, and an import of what is lazy.
worker_max_memory_per_child: Final = 400_000
# Lesson 09: a pickle runs code before its task begins. Price: only what JSON can carry.
accept_content: Final = ["json"]
# Lesson 10: a result stays for a day unless told otherwise. As long as somebody may
# come back for it. Price: later, PENDING means "gone" too.
result_expires: Final = 3600
# Lesson 10: a chord counts its members under the same expiry, and then never ends. As
# long as the longest chord, its time in the queue included.
result_chord_expires: Final = 86_400

#: In place of ``broker_transport_options``, where the broker is RabbitMQ.
RABBITMQ: Final[dict[str, Any]] = {
    # Lesson 02: a publish that the broker refused is an error. Price: a round trip.
    "confirm_publish": True,
}
#: Of each worker's process.
ENVIRONMENT: Final = {
    # Lesson 02: SIGTERM means "give back and end", and pool processes ignore it. Below
    # a shell without exec nobody hears it.
    "REMAP_SIGTERM": "SIGQUIT",
}
#: Directives of the broker's Redis, which is for the broker alone.
REDIS: Final = {
    # Lesson 02: without a file, a killed Redis loses the queue. Price: a write per
    # change; with everysec, a second of them goes with the machine.
    "appendonly": "yes",
    "appendfsync": "everysec",
    # Lesson 02: a policy that evicts takes the queue as one key. Lesson 10: results
    # have a Redis of their own. Price: a full Redis refuses to publish: an alarm on it.
    "maxmemory-policy": "noeviction",
}

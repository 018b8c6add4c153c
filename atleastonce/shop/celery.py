"""The shop's Celery app: ``celery -A atleastonce.shop.celery worker`` runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from celery import Celery
from kombu import pools

from atleastonce import shop
from atleastonce.settings import Settings, export, go_direct

if TYPE_CHECKING:
    from atleastonce.addresses import Addresses


#: Options of kombu's transport. Confirmed: ``delay`` returns when RabbitMQ has the
#: message, so what is counted next is true; Celery's default is not to wait for that.
OPTIONS: dict[str, dict[str, object]] = {
    "redis": {},
    "rabbitmq": {"confirm_publish": True},
}


def connect(app: Celery, addresses: Addresses, **options: object) -> None:
    """Point *app* at the lab's broker, and at its Redis for results (database 1).

    Connections to the lab before are dropped, so a notebook can open one after another.

    Args:
        app: the app.
        addresses: the lab's.
        **options: of kombu's transport, beside or in place of OPTIONS.
    """
    # Celery would prefer these to any setting: the learner's own broker.
    export(
        CELERY_BROKER_URL=None,
        CELERY_BROKER_READ_URL=None,
        CELERY_BROKER_WRITE_URL=None,
        CELERY_RESULT_BACKEND=None,
    )
    # What a task asks with requests is on this machine, or in a container beside us.
    go_direct("127.0.0.1")
    go_direct(urlsplit(addresses.gateway_url).hostname or "127.0.0.1")
    app.conf.broker_url = addresses.broker_url
    app.conf.broker_transport_options = OPTIONS[addresses.broker] | options
    app.conf.result_backend = addresses.redis_url(1)
    drop_connections(app)


def publish_to(app: Celery, url: str | None) -> None:
    """Have *app* publish to the broker at *url* from now on; None: where it reads."""
    app.conf.broker_write_url = url
    _drop_publishers(app)


def drop_connections(app: Celery) -> None:
    """Forget every pooled connection of *app*; the next use connects anew."""
    _drop_publishers(app)
    app._backend_cache = None  # noqa: SLF001
    vars(app._local).pop("backend", None)  # noqa: SLF001


def _drop_publishers(app: Celery) -> None:
    pools.reset()
    # Celery has no public way; these are the caches its properties fill again.
    app._pool = app.amqp._producer_pool = None  # noqa: SLF001


def _made(settings: Settings) -> Celery:
    app = Celery("shop")
    app.conf.update(
        task_serializer="json",
        result_serializer="json",
        accept_content=["json"],
        enable_utc=True,
        timezone="UTC",
        # A worker holds one message more than it runs: what it loses stays countable.
        worker_prefetch_multiplier=1,
        broker_connection_retry_on_startup=True,
    )
    given = dict(settings.celery)
    options = given.pop("broker_transport_options", {})
    if settings.lab_file:
        connect(app, settings.addresses(), **options)
    # Last: a worker may be given another broker, as when one is shown to fail.
    app.conf.update(given)
    return app


# Before the app is made: Celery looks for Django when it is.
shop.setup()
app = _made(Settings.from_env())

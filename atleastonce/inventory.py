"""Count what the live services hold, and empty them: where a lab's worlds come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atleastonce.world import World

if TYPE_CHECKING:
    from atleastonce.services.base import Services
    from atleastonce.workers.broker import Broker

_TABLES = """
    SELECT string_agg(quote_ident(tablename), ', ' ORDER BY tablename)
    FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'django_migrations'
"""


def count(services: Services, broker: Broker) -> World:
    """The world of the shop: what the gateway, the mail, Postgres and the broker show.

    Keys: ``charges``, ``mails``, ``orders paid``, ``queue`` (messages that wait) and
    ``unacked`` (messages that a worker holds, dead or alive).
    """
    backlog = broker.backlog()
    paid = "SELECT count(*) FROM shop_order WHERE status = 'paid'"
    return World(
        {
            "charges": len(services.gateway.charges()),
            "mails": len(services.mail.messages()),
            "orders paid": services.postgres.rows(paid)[0][0],
            "queue": sum(backlog.waiting.values()),
            "unacked": backlog.unacked,
        }
    )


def empty(services: Services) -> None:
    """Empty tables (numbering starts at 1 again), brokers, mailbox and ledger.

    Only the lab's own services are touched; no worker may run.
    """
    [(tables,)] = services.postgres.rows(_TABLES)
    services.postgres.rows(f"TRUNCATE {tables} RESTART IDENTITY CASCADE")
    services.redis.client().flushall()
    if services.has_second_redis:
        services.second_redis.client().flushall()
    if services.addresses.rabbitmq_port:
        services.rabbitmq.clear()
    services.mail.clear()
    services.gateway.clear()

"""Is it the lab's? A project's broker, its results, its databases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from celery.backends.base import DisabledBackend
from celery.backends.redis import RedisBackend
from kombu.utils.url import parse_url

from atleastonce.errors import ProjectError

if TYPE_CHECKING:
    from celery import Celery
    from kombu.connection import Connection

    from atleastonce.addresses import Addresses

#: Ways to write down Redis's database 0, where the lab's broker is.
ZERO = {None, "", "/", "0"}


def require_broker(app: Celery, name: str, at: Addresses) -> None:
    """Check that *app* publishes to, takes from, and stores results in the lab's Redis.

    Raises:
        ProjectError: it does not.
    """
    ways = {
        "publishes to": _urls(app.connection_for_write()),
        "takes messages from": _urls(app.connection_for_read()),
        "has as its broker_url": [str(app.conf.broker_url)],
    }
    for verb, urls in ways.items():
        for url in urls:
            database = parse_url(url).get("virtual_host")
            if not _is_ours(url, at) or database not in ZERO:
                raise _elsewhere(name, verb, url)
    _require_results(app, name, at)


def _require_results(app: Celery, name: str, at: Addresses) -> None:
    backend = app.backend
    if isinstance(backend, DisabledBackend):
        return
    url = str(backend.as_uri(include_password=True))
    if not isinstance(backend, RedisBackend) or not _is_ours(url, at):
        raise _elsewhere(name, "stores results in", url)


def _urls(connection: Connection) -> list[str]:
    return [connection.as_uri(include_password=True), *map(str, connection.alt)]


def _is_ours(url: str, at: Addresses) -> bool:
    found = parse_url(url)
    ours = ("redis", at.redis_host, at.redis_port, at.redis_password)
    names = ("transport", "hostname", "port", "password")
    return tuple(found.get(name) for name in names) == ours


def _elsewhere(name: str, verb: str, url: str) -> ProjectError:
    found = parse_url(url)
    port = f":{found['port']}" if found.get("port") else ""
    place = f"{found.get('transport')}://{found.get('hostname') or ''}{port}"
    return ProjectError(
        f"{name} {verb} {place}/{str(found.get('virtual_host') or '').strip('/')}, "
        "which is not the throw-away Redis: nothing was sent there.",
        seen="CELERY_BROKER_URL and CELERY_RESULT_BACKEND were set for the project, "
        "which replaced them",
        attempt="--env MY_BROKER='{redis}', with the variable that your project reads",
    )


def require_databases(databases: dict[str, dict[str, Any]], at: Addresses) -> None:
    """Check that every one of Django's *databases* is the lab's Postgres.

    Raises:
        ProjectError: one is not.
    """
    for alias, found in databases.items():
        if found.get("ENGINE") and not _is_our_database(found, at):
            raise _other_database(alias, found)


def _is_our_database(found: dict[str, Any], at: Addresses) -> bool:
    host, port = found.get("HOST") or "", str(found.get("PORT") or "")
    return "postgresql" in found["ENGINE"] and (host, port) in {
        (at.postgres_host, str(at.postgres_port)),
        # libpq takes what is left empty from PGHOST and PGPORT, which are ours.
        ("", ""),
    }


def _other_database(alias: str, found: dict[str, Any]) -> ProjectError:
    kind = str(found["ENGINE"]).rpartition(".")[2]
    place = f"{kind} {found.get('HOST') or ''}:{found.get('PORT') or ''}".rstrip(":")
    return ProjectError(
        f"Django's database {alias!r} is {place.strip()}, and not the throw-away "
        "Postgres: a sweep would repeat the task there, and not put it back.",
        seen="DATABASE_URL, PGHOST, PGPORT, PGUSER, PGPASSWORD and PGDATABASE were set",
        attempt="--env MY_DB='{postgres}', or --env MY_HOST='{postgres_host}' and so "
        "on, with the variables that your settings read",
    )

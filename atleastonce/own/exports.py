"""What a project finds in its environment: the throw-away services' addresses. Pure."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import TYPE_CHECKING

from atleastonce.errors import ProjectError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from atleastonce.addresses import Addresses

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*$")
_PLACE = re.compile(r"\{(\w+)\}")
#: What every project gets: what Celery and libpq read by themselves, and the names that
#: most projects use.
USUAL = {
    "CELERY_BROKER_URL": "{redis}/0",
    "CELERY_BROKER_READ_URL": "{redis}/0",
    "CELERY_BROKER_WRITE_URL": "{redis}/0",
    "CELERY_RESULT_BACKEND": "{redis}/1",
    "REDIS_URL": "{redis}/2",
    "DATABASE_URL": "{postgres}",
    "PGHOST": "{postgres_host}",
    "PGPORT": "{postgres_port}",
    "PGUSER": "{postgres_user}",
    "PGPASSWORD": "{postgres_password}",
    "PGDATABASE": "{postgres_db}",
    "EMAIL_HOST": "{smtp_host}",
    "EMAIL_PORT": "{smtp_port}",
    "GATEWAY_URL": "{gateway}",
}
#: What may stand in braces.
PLACES = (
    *("redis", "redis_host", "redis_port", "redis_password"),
    *("postgres", "postgres_host", "postgres_port", "postgres_user"),
    *("postgres_password", "postgres_db", "smtp_host", "smtp_port", "gateway"),
)


def parsed(lines: Iterable[str]) -> dict[str, str]:
    """The templates of ``NAME=TEMPLATE`` lines, by name.

    Raises:
        ProjectError: a line is no such thing, or has a place that there is not.
    """
    found = {}
    for line in lines:
        name, equals, template = line.partition("=")
        if not equals or not _NAME.match(name.strip()):
            raise ProjectError(
                f"{line!r} is not NAME=TEMPLATE.", attempt="--env MY_BROKER='{redis}'"
            )
        _check(template)
        found[name.strip()] = template.strip()
    return found


def _check(template: str) -> None:
    unknown = set(_PLACE.findall(template)) - {*PLACES}
    if unknown:
        raise ProjectError(
            f"There is no {{{min(unknown)}}} in {template!r}.",
            seen="there are " + ", ".join(f"{{{name}}}" for name in PLACES),
            attempt="--env MY_BROKER='{redis}'",
        )


def filled(templates: Mapping[str, str], at: Addresses) -> dict[str, str]:
    """*templates* with the addresses in their places; ``{redis}`` takes a ``/2``."""
    known = {name: str(value) for name, value in asdict(at).items()}
    known |= {"redis": at.redis_url(0).removesuffix("/0")}
    known |= {"postgres": at.dsn(), "gateway": at.gateway_url}

    def fill(place: re.Match[str]) -> str:
        return known[place[1]] if place[1] in PLACES else place[0]

    return {name: _PLACE.sub(fill, text) for name, text in templates.items()}

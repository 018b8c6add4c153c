"""A world that every process can read: numbers, texts, and groups of them. Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from uuid import UUID

_PLAIN = (
    str,
    int,
    float,
    bool,
    bytes,
    Decimal,
    UUID,
    dt.date,
    dt.timedelta,
)
_COLLECTIONS = (list, tuple, set, frozenset)


def readable(value: object) -> object:
    """*value* without classes of the project, whose instances become text."""
    if value is None or type(value) in _PLAIN or isinstance(value, dt.datetime):
        return value
    if isinstance(value, Mapping):
        return {readable(key): readable(inner) for key, inner in value.items()}
    for kind in _COLLECTIONS:
        if isinstance(value, kind):
            return kind(readable(inner) for inner in value)
    return str(value)

"""At Least Once: the ten ways background tasks fail, struck on demand.

A notebook needs ``from atleastonce import Lab`` and a fault or two; the names below are
all there is. Importing the package is cheap, and registers ``%%tasks`` in a notebook.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from atleastonce import magic

if TYPE_CHECKING:
    from atleastonce.claims import check, evidence
    from atleastonce.explore.crash_sweep import crash_sweep
    from atleastonce.explore.interleave import interleave
    from atleastonce.faults import cut, freeze, kill, lose_reply, soft_limit, term
    from atleastonce.lab import Lab
    from atleastonce.picture import draw
    from atleastonce.world import table

#: Where each public name lives; it is imported when it is first used.
_HOMES = {
    "Lab": "lab",
    "check": "claims",
    "evidence": "claims",
    "table": "world",
    "draw": "picture",
    "kill": "faults",
    "freeze": "faults",
    "term": "faults",
    "soft_limit": "faults",
    "lose_reply": "faults",
    "cut": "faults",
    "crash_sweep": "explore.crash_sweep",
    "interleave": "explore.interleave",
}

__all__ = [
    "Lab",
    "check",
    "crash_sweep",
    "cut",
    "draw",
    "evidence",
    "freeze",
    "interleave",
    "kill",
    "lose_reply",
    "soft_limit",
    "table",
    "term",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"atleastonce.{_HOMES[name]}")
    return getattr(module, name)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return __all__


magic.register()

"""Whose tasks a fleet runs: the shop's, or those of a project of one's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from kombu.entity import Queue

#: Variables for a process of its own; None removes one.
Environment = dict[str, str | None]


@dataclass(frozen=True)
class Project:
    """What workers import, and where.

    Attributes:
        app: the Celery app, as ``module:name``.
        django: the module whose ``setup()`` the fork server calls before it forks; ""
            for none.
        path: where its workers import from, and in the first of these they work;
            empty: in the lab's folder of tasks.
        env: what its workers find in the environment.
        queues: what they take messages from; none: what the app says.
    """

    app: str
    django: str
    path: tuple[str, ...] = ()
    env: Environment = field(default_factory=dict)
    queues: tuple[Queue, ...] = ()

    def places(self, tasks: Path) -> list[str]:
        """Where they import from, if *tasks* is the lab's folder of tasks."""
        return list(self.path) or [str(tasks)]


SHOP = Project("atleastonce.shop.celery:app", "atleastonce.shop")

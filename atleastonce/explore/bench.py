"""Where the instruments work: the lab that is open, or the one of this process."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atleastonce.errors import ExploreError
from atleastonce.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from atleastonce.addresses import Addresses
    from atleastonce.workers.fleet import Fleet


@dataclass(frozen=True)
class Bench:
    """Services to work on, and a fork server that makes new processes cheap.

    Attributes:
        addresses: the lab's.
        fleet: its workers; None where there is no fork server.
        world: what an outcome is judged by where nothing else is said.
        include: modules whose tasks the workers must know.
        switch: has the lab use another broker, and returns the bench with that.
    """

    addresses: Addresses
    fleet: Fleet | None = None
    world: Callable[[], dict[str, Any]] | None = None
    include: tuple[str, ...] = ()
    switch: Callable[[str], Bench] | None = None


_open: list[Bench] = []


def use(bench: Bench | None) -> None:
    """Work on *bench* from now on; None: on the lab that the environment names."""
    _open[:] = [bench] if bench else []


def current() -> Bench:
    """Where to work.

    Raises:
        SettingsError: no lab is open, and this process belongs to none.
    """
    return _open[0] if _open else Bench(Settings.from_env().addresses())


@contextmanager
def through(place: Bench, broker: str | None) -> Iterator[Bench]:
    """*place*, with its tasks going through *broker* in the block; None: as they do.

    Raises:
        ExploreError: no lab is open here that could change its broker.
    """
    before = place.addresses.broker
    if broker in (None, before):
        yield place
        return
    if place.switch is None:
        raise ExploreError(
            f"The broker can't be changed to {broker!r}: no lab is open here.",
            attempt='lab = Lab("01_duplicates") first',
        )
    try:
        yield place.switch(str(broker))
    finally:
        place.switch(before)

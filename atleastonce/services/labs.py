"""Which labs run on this machine, and whose they are; and an end to what was left."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from atleastonce.addresses import Addresses
from atleastonce.errors import SettingsError
from atleastonce.scratch import places
from atleastonce.services import reaper as proc
from atleastonce.services.folder import OWNER_FILE, identity


@dataclass(frozen=True)
class RunningLab:
    """A lab, or what is left of one.

    Attributes:
        stem: the notebook it was opened for; "" when that is not known any more.
        folder: where it is.
        owner: the process that opened it; 0 when that is not known any more.
        alive: False when the owner has ended: what is left can be stopped.
        ports: TCP port by service, as far as we may know them.
        processes: how many of its processes live.
    """

    stem: str
    folder: Path
    owner: int
    alive: bool
    ports: dict[str, int]
    processes: int


def running() -> list[RunningLab]:
    """The labs whose processes or folders we can see, by folder."""
    labs: dict[str, int] = {}
    for pid in proc.table():
        if folder := proc.lab_of(pid):
            labs[folder] = labs.get(folder, 0) + 1
    for place in places():
        for path in place.glob(f"{proc.PREFIX}*/{OWNER_FILE}"):
            labs.setdefault(str(path.parent), 0)
    found = (_describe(Path(folder), count) for folder, count in labs.items())
    return sorted((lab for lab in found if lab), key=lambda lab: lab.folder)


def stop_leftovers() -> list[RunningLab]:
    """Kill and remove what is left of labs whose owner has ended; return them."""
    dead = [lab for lab in running() if not lab.alive]
    proc.exterminate(folders=[str(lab.folder) for lab in dead], spare={os.getpid()})
    for lab in dead:
        proc.remove(str(lab.folder))
    return dead


def _describe(folder: Path, processes: int) -> RunningLab | None:
    try:
        owner = json.loads((folder / OWNER_FILE).read_text())
    except (OSError, ValueError):  # its folder was removed, or is not ours to read
        lost = RunningLab("", folder, 0, alive=False, ports={}, processes=processes)
        return lost if processes else None
    mine, theirs = identity(owner["pid"]), owner["identity"]
    if mine[0] != theirs[0]:  # it runs in another container: nothing of ours
        return None
    alive = mine == theirs
    return RunningLab(
        owner["stem"], folder, owner["pid"], alive, _ports(folder), processes
    )


def _ports(folder: Path) -> dict[str, int]:
    try:
        at = Addresses.load(folder / "lab.json")
    except SettingsError:
        return {}
    ports = {
        "redis": at.redis_port,
        "postgres": at.postgres_port,
        "mail": at.smtp_port,
        "gateway": urlsplit(at.gateway_url).port or 0,
        "rabbitmq": at.rabbitmq_port,
    }
    return {name: port for name, port in ports.items() if port}

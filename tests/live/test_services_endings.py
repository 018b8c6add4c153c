"""However the owner of a lab ends, nothing of the lab is left."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from atleastonce.services import labs, ports
from atleastonce.services import reaper as proc
from atleastonce.waiting import pause, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.live.conftest import Owner

#: The acceptance: after the owner's death nothing is left for longer than this.
GONE = 2.0


def members(folder: str) -> set[int]:
    return proc.members([folder], proc.table())


def gone(made: Owner) -> bool:
    """True when neither a process, nor the folder, nor the reaper is left."""
    left = members(made.folder) or Path(made.folder).exists()
    return not left and made.reaper not in proc.table()


def test_a_killed_owner_leaves_nothing(owner: Callable[..., Owner]) -> None:
    made = owner().opened()
    assert len(members(made.folder)) >= 4
    made.signal(signal.SIGKILL)
    wait_until(lambda: gone(made), timeout=GONE, what="the lab to be gone")


def test_a_killed_owner_leaves_no_frozen_service(owner: Callable[..., Owner]) -> None:
    made = owner("[s.freeze() for s in (e.redis, e.postgres, e.mail, e.gateway)]")
    made.opened()
    made.signal(signal.SIGKILL)
    wait_until(lambda: gone(made), timeout=GONE, what="the lab to be gone")


def test_a_killed_owner_leaves_no_sessions_or_grandchildren(
    owner: Callable[..., Owner],
) -> None:
    made = owner(
        "import subprocess, os, psycopg;"
        "c = psycopg.connect(e.addresses.dsn()); c.execute('SELECT 1');"
        "env = dict(os.environ, ATLEASTONCE_LAB_FILE=str(e.lab_file));"
        # Its own session, and its parent is gone.
        "subprocess.run(['setsid', '-f', 'sleep', '1000'], env=env);"
        "print('', flush=True)"
    ).opened()
    assert made.process.stdout
    made.process.stdout.readline()
    assert len(members(made.folder)) >= 6
    made.signal(signal.SIGKILL)
    wait_until(lambda: gone(made), timeout=GONE, what="the lab to be gone")


def test_a_child_that_holds_the_pipe_does_not_keep_the_lab(
    owner: Callable[..., Owner],
) -> None:
    made = owner("import os; p = os.fork() or signal.pause(); print(p, flush=True)")
    made.opened()
    assert made.process.stdout
    child = int(made.process.stdout.readline())
    os.kill(made.process.pid, signal.SIGKILL)
    wait_until(lambda: gone(made), timeout=GONE, what="the lab to be gone")
    os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_owner_that_is_asked_to_end_leaves_nothing(
    owner: Callable[..., Owner], number: int
) -> None:
    made = owner().opened()
    made.signal(number)
    status, said = made.end()
    assert status == -number
    assert ("KeyboardInterrupt" in said) is (number == signal.SIGINT)
    wait_until(lambda: gone(made), timeout=GONE, what="the lab to be gone")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_owner_may_end_at_any_moment_of_its_start(
    owner: Callable[..., Owner], labs_root: Path, own_home: Path, number: int
) -> None:
    # The first ones meet the making of the template too.
    env = {**os.environ, "ATLEASTONCE_HOME": str(own_home)}
    for moment in (0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 0.9, 1.2):
        made = owner(env=env)
        pause(moment)
        made.signal(number)
        made.end()
        wait_until(
            lambda: (
                not list(labs_root.glob("atleastonce-*")) and not labs_here(labs_root)
            ),
            timeout=10,
            what=f"what was open after {moment} s to be gone",
            seen=lambda: str(labs_here(labs_root)),
        )
    names = [path.name for path in (own_home / "templates").glob("*.????????")]
    assert names == [], "a template that was not finished is left"
    owner(env=env).opened()


def labs_here(root: Path) -> list[labs.RunningLab]:
    return [lab for lab in labs.running() if lab.folder.is_relative_to(root)]


def test_a_killed_lab_can_be_opened_again_at_once(owner: Callable[..., Owner]) -> None:
    env = {**os.environ, "ATLEASTONCE_REDIS_PORT": str(ports.free_port())}
    made = owner(env=env).opened()
    for _ in range(3):
        made.signal(signal.SIGKILL)
        made = owner(env=env).opened()


def test_many_labs_opened_at_once_make_one_template_and_never_meet(
    owner: Callable[..., Owner], own_home: Path
) -> None:
    env = {**os.environ, "ATLEASTONCE_HOME": str(own_home)}
    opened = [made.opened() for made in [owner(env=env) for _ in range(3)]]
    assert len({made.folder for made in opened}) == 3
    templates = own_home / "templates"
    assert len([path for path in templates.iterdir() if path.is_dir()]) == 1


def test_running_labs_are_listed_with_owner_and_ports(
    owner: Callable[..., Owner], labs_root: Path
) -> None:
    made = owner().opened()
    (lab,) = labs_here(labs_root)
    assert (lab.stem, lab.owner, lab.alive) == ("owned", made.process.pid, True)
    assert str(lab.folder) == made.folder
    assert sorted(lab.ports) == ["gateway", "mail", "postgres", "redis"]
    assert lab.processes >= 4


def test_what_a_killed_reaper_left_can_be_stopped(
    owner: Callable[..., Owner], labs_root: Path
) -> None:
    made, other = owner().opened(), owner().opened()
    os.kill(made.reaper, signal.SIGKILL)
    made.signal(signal.SIGKILL)
    made.end()
    # It is for the whole machine: another run of this test may stop ours before we do.
    states = {str(lab.folder): lab.alive for lab in labs_here(labs_root)}
    assert not states.get(made.folder)
    assert states[other.folder]
    labs.stop_leftovers()
    wait_until(lambda: gone(made), timeout=10, what="what was left to be gone")
    assert not gone(other)
    assert len(members(other.folder)) >= 4

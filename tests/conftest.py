"""What all tests share: a temporary folder of this run, and a watch on leftovers."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from atleastonce import needs
from atleastonce.scratch import scratch
from atleastonce.services import labs
from atleastonce.services.embedded import Embedded
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Every lab that this run opens, in whichever process, has its folder in here.
ROOT = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    root = _folder().resolve()
    root.chmod(0o711)  # Redis and Postgres run as another user, if we are root
    config.stash[ROOT] = root
    os.environ["TMPDIR"] = tempfile.tempdir = str(root)


def _folder() -> Path:
    """A folder of this run's own, or of one of the processes of ``pytest -n 2``."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        return Path(tempfile.mkdtemp(prefix="alo-tests-", dir=scratch()))
    folder = Path(tempfile.gettempdir()) / worker
    folder.mkdir()
    return folder


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[ROOT], ignore_errors=True)


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "live" in item.path.parts:
            item.add_marker(pytest.mark.live)
        grouped = item.get_closest_marker("xdist_group") is not None
        if "content" not in item.path.parts and not grouped:
            # Its module's services and browser start once, in one process.
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


@pytest.fixture(scope="session")
def labs_root(pytestconfig: pytest.Config) -> Path:
    """The temporary folder of this run."""
    return pytestconfig.stash[ROOT]


@pytest.fixture(autouse=True)
def no_leftovers(request: pytest.FixtureRequest, labs_root: Path) -> Iterator[None]:
    """After a live test no process and no folder of a lab is left that it opened."""
    if "live" not in request.node.path.parts:
        yield
        return
    before = set(left(labs_root))
    yield
    # A killed owner's reaper has two seconds; a loaded machine gets more.
    wait_until(
        lambda: set(left(labs_root)) <= before,
        timeout=10.0,
        what=f"the labs of {request.node.name} to be gone",
        seen=lambda: str(left(labs_root)),
        interval=0.02,
    )


def left(root: Path) -> list[str]:
    """The folders in *root* of labs that still have one, or a process."""
    folders = {str(lab.folder) for lab in labs.running()}
    folders |= {str(path) for path in root.glob("atleastonce-*")}
    return sorted(folder for folder in folders if folder.startswith(f"{root}/"))


@pytest.fixture(scope="session")
def needs_rabbitmq() -> None:
    """Skips where RabbitMQ is missing; fails where ATLEASTONCE_REQUIRE names it."""
    if why := needs.reason({"atleastonce": {"needs": ["rabbitmq"]}}):
        pytest.skip(why)


@pytest.fixture
def embedded() -> Iterator[Embedded]:
    """The services of a lab of its own, for one test."""
    with Embedded("test") as services:
        yield services


@pytest.fixture(scope="module")
def shared_embedded() -> Iterator[Embedded]:
    """The services of one lab for all tests of a module; each clears what it needs."""
    with Embedded("test") as services:
        yield services

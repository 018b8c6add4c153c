"""The doctor's findings, with the machine's answers replaced where they must differ."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from atleastonce import doctor, needs
from atleastonce.cli.base import app

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def run() -> CliRunner:
    return CliRunner()


def test_this_machine_can_run_lessons(run: CliRunner) -> None:
    done = run.invoke(app, ["doctor", "--json"])
    said = json.loads(done.output)
    assert done.exit_code == 0
    assert said["lessons_can_run"] is True
    names = [row["name"] for row in said["findings"]]
    assert names[:5] == ["Python", "System", "Packages", "Redis", "Postgres"]
    assert {"RabbitMQ", "Docker", "Memory", "Disk", "Loopback"} <= set(names)


def test_a_missing_redis_stops_lessons_and_says_how_to_get_it(
    run: CliRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATLEASTONCE_REDIS_SERVER", "/nowhere/redis-server")
    done = run.invoke(app, ["doctor"])
    assert done.exit_code == 1
    assert "/nowhere/redis-server" in done.output
    assert "Try: unset ATLEASTONCE_REDIS_SERVER" in done.output
    assert "Lessons can't run yet." in done.output


def test_a_missing_option_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "program", lambda _need: "")
    monkeypatch.setenv("ATLEASTONCE_RABBITMQ_SERVER", "/nowhere/rabbitmq-server")
    for look in (doctor.rabbitmq, doctor.docker):
        found = look()
        assert (found.state, found.blocks) == ("missing", False)
        assert found.attempt


def test_a_setting_that_can_not_be_used_is_the_first_finding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ATLEASTONCE_REDIS_PORT", "many")
    [found] = doctor.examine()
    assert found.blocks
    assert "ATLEASTONCE_REDIS_PORT" in found.found


def test_a_package_of_another_version_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pins = [("celery", "5.7.0"), ("kombu", "4.0.0")]
    monkeypatch.setattr(doctor, "_pins", lambda: pins)
    found = doctor.packages()
    assert found.state == "missing"
    assert "kombu" in found.found
    assert "not 4.0.0" in found.found
    assert not found.blocks


def test_an_absent_package_stops_lessons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_pins", lambda: [("no-such-package", "1")])
    assert doctor.packages().blocks


def test_another_system_is_told_of_docker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    found = doctor.system()
    assert found.blocks
    assert "Docker" in found.attempt


def test_a_home_that_is_a_file_can_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    found = doctor.folders()
    assert found.blocks
    assert found.attempt

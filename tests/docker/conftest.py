"""The whole of docker-compose.yml on a real engine, once in each process of tests.

They fail where there is no engine: ``make test-docker`` brings one, and has two
processes: a stack serves one lab at a time, so lessons have one beside that of the
faults. What is started here has a project name, ports, secrets and volumes of its own.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from atleastonce import course
from atleastonce.services.compose import Compose
from atleastonce.services.engine import Engine
from atleastonce.services.ports import free_port
from atleastonce.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Of this run only: two of them do not meet.
PROJECT = f"atleastonce-test-{os.getpid()}"
PORTS = ("", "REDIS_", "SECOND_REDIS_", "POSTGRES_", "RABBITMQ_", "RABBITMQ_UI_")
PORTS += ("SMTP_", "MAIL_", "GATEWAY_")


def free_ports() -> dict[str, str]:
    """One for each of PORTS; the other process of ``pytest -n 2`` has none of them."""
    number, found = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]), set[int]()
    while len(found) < len(PORTS):
        port = free_port()
        if port % 2 == number % 2:
            found.add(port)
    pairs = zip(PORTS, found, strict=True)
    return {f"LAB_{name}PORT": str(port) for name, port in pairs}


class Stack:
    """The compose project of this run.

    Attributes:
        state: the folder of its secrets, and of what its containers share.
        env: what leads ``docker compose`` and our own handles to it.
    """

    def __init__(self, state: Path) -> None:
        self.state = state
        self.ports = free_ports()
        where = {"ATLEASTONCE_COMPOSE": str(state), "COMPOSE_PROJECT_NAME": PROJECT}
        self.env = where | self.ports

    def run(self, *argv: str, check: bool = True, timeout: float = 600) -> str:
        """What a command prints; it must end well, unless *check* is false."""
        done = subprocess.run(
            argv,
            cwd=course.folder(),
            env={**os.environ, **self.env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def compose(self, *words: str, **how: Any) -> str:  # noqa: ANN401 - those of run
        return self.run("docker", "compose", "--profile", "oom", *words, **how)

    def up(self, *words: str) -> None:
        """Without the workers of the profile ``oom``; the image is built if missing."""
        wait = ("up", "--wait", "--wait-timeout", "300", *words)
        self.run("docker", "compose", *wait)

    def inspect(self, service: str) -> dict[str, Any]:
        engine = Engine(Settings.from_env().engine)
        return engine.find(PROJECT, service).inspect()

    def inside(self, script: str) -> str:
        """What Python prints in the container ``course``."""
        return self.compose("exec", "-T", "course", "python", "-c", script)

    def settings(self, monkeypatch: pytest.MonkeyPatch) -> Settings:
        """Those of a kernel on the host that works with these containers."""
        for name, value in self.env.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("ATLEASTONCE_MODE", "compose")
        return Settings.from_env()


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """All services, healthy."""
    made = Stack(tmp_path_factory.mktemp("compose"))
    made.run("sh", "docker/secrets.sh")
    try:
        made.up()
        yield made
    finally:
        if os.environ.get("KEEP_STACK") is None:
            made.compose("down", "-v", "--remove-orphans", check=False)


@pytest.fixture
def services(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> Iterator[Compose]:
    """The services for one lab on the host, emptied."""
    with Compose("test", settings=stack.settings(monkeypatch)) as found:
        yield found

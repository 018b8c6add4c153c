"""The verbs about services, as a person types them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
import redis

from atleastonce.services.labs import running
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atleastonce.services.embedded import Embedded

pytestmark = pytest.mark.live


def atleastonce(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "atleastonce", *words],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def up() -> Iterator[dict[str, Any]]:
    """What was started once; the last test ends it."""
    done = atleastonce("up", "--json", "--show-secrets")
    assert done.returncode == 0, done.stderr
    yield json.loads(done.stdout)
    atleastonce("down")


def owner(lab_file: str) -> int:
    found: int = json.loads(Path(lab_file).with_name("owner.json").read_text())["pid"]
    return found


def test_a_second_up_leads_to_the_first_one(up: dict[str, Any]) -> None:
    again = json.loads(atleastonce("up", "--json", "--show-secrets").stdout)
    assert again == up


def test_secrets_are_printed_only_when_asked_for(up: dict[str, Any]) -> None:
    at = json.loads(Path(up["lab_file"]).read_text())
    secrets = {at["secret"], at["redis_password"], at["postgres_password"]}
    plain = atleastonce("up").stdout + atleastonce("up", "--json").stdout
    assert not [secret for secret in secrets if secret in plain]
    shown = atleastonce("up", "--show-secrets").stdout
    assert [secret for secret in secrets if secret not in shown] == []


def test_services_names_the_lab_and_its_owner(up: dict[str, Any]) -> None:
    rows = json.loads(atleastonce("services", "--json").stdout)
    [row] = [row for row in rows if row["folder"] == str(Path(up["lab_file"]).parent)]
    assert (row["stem"], row["alive"]) == ("up", True)
    assert row["owner"] == owner(up["lab_file"])
    ports = set(row["ports"]) - {"rabbitmq"}
    assert ports == {"redis", "postgres", "mail", "gateway"}
    assert "up" in atleastonce("services").stdout


def test_what_up_starts_answers_until_down(up: dict[str, Any]) -> None:
    services = up["services"]
    with redis.Redis.from_url(services["redis"]["url"]) as client:
        assert client.ping()
    with psycopg.connect(services["postgres"]["url"]) as connection:
        assert connection.execute("select count(*) from shop_order").fetchone() == (0,)
    folder = Path(up["lab_file"]).parent
    done = atleastonce("down")
    # Another lab of this machine may be ending just now.
    assert done.returncode == 0
    assert done.stdout in (
        "Stopped: up.\n",
        "Stopped: up, a left-over.\n",
        "Stopped: a left-over, up.\n",
    )
    assert not folder.exists()
    assert folder not in [lab.folder for lab in running()]


def test_a_killed_keeper_leaves_nothing() -> None:
    up = json.loads(atleastonce("up", "--json").stdout)
    folder = Path(up["lab_file"]).parent
    os.kill(owner(up["lab_file"]), signal.SIGKILL)
    wait_until(
        lambda: not folder.exists() and folder not in [lab.folder for lab in running()],
        timeout=10,
        what="the killed keeper's services to go",
    )


def test_up_without_redis_says_what_to_try() -> None:
    done = atleastonce("up", ATLEASTONCE_REDIS_SERVER="/nowhere/redis-server")
    assert done.returncode == 2
    assert "/nowhere/redis-server" in done.stderr
    assert "Try: unset ATLEASTONCE_REDIS_SERVER" in done.stderr
    assert "Traceback" not in done.stderr


def test_down_with_nothing_up_leaves_others_alone(embedded: Embedded) -> None:
    assert atleastonce("down").returncode == 0
    assert embedded.redis.ping()

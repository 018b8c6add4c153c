"""What crosses to a project's process, and what the project is given."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from functools import partial
from multiprocessing import Pipe
from threading import Thread
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from atleastonce.addresses import Addresses
from atleastonce.errors import ProjectError
from atleastonce.own import exports, helper
from atleastonce.own.calls import Call, Failed, Named, Opening
from atleastonce.own.client import Client
from atleastonce.own.worlds import readable
from atleastonce.workers import loading
from atleastonce.workers.reach import Reach

if TYPE_CHECKING:
    from pathlib import Path

AT = Addresses(
    *("/tmp/lab", "/tmp/lab/events", "token"),  # noqa: S108 - no file is made
    redis_port=6001,
    redis_password="r",
    postgres_port=6002,
    postgres_user="u",
    postgres_password="p",
    smtp_port=6003,
    mail_url="http://127.0.0.1:6004",
    gateway_url="http://127.0.0.1:6005",
)


def test_a_template_is_filled_with_addresses_and_keeps_other_braces() -> None:
    lines = ["A={redis}/3", "B={postgres}", 'C={"port": {smtp_port}}', " D = {gateway}"]
    assert exports.filled(exports.parsed(lines), AT) == {
        "A": "redis://:r@127.0.0.1:6001/3",
        "B": "postgresql://u:p@127.0.0.1:6002/shop",
        "C": '{"port": 6003}',
        "D": "http://127.0.0.1:6005",
    }


def test_what_every_project_gets_leads_to_the_lab() -> None:
    found = exports.filled(exports.USUAL, AT)
    assert found["CELERY_BROKER_URL"] == found["CELERY_BROKER_WRITE_URL"]
    assert [name for name, value in found.items() if "{" in value] == []


@pytest.mark.parametrize("line", ["A", "=x", "1A={redis}", "A={host}"])
def test_a_line_that_is_no_variable_is_refused(line: str) -> None:
    with pytest.raises(ProjectError, match="Try: --env MY_BROKER="):
        exports.parsed([line])


class Money:
    """A class of the project's own."""

    __str__ = "30 EUR".__str__


def test_a_world_is_readable_where_the_project_is_not() -> None:
    given = {"a": Money(), "b": [Money(), 1, None], "c": Counter(x=2), "d": (Money(),)}
    wanted = {"a": "30 EUR", "b": ["30 EUR", 1, None], "c": {"x": 2}, "d": ("30 EUR",)}
    assert readable(given) == wanted
    plain = {"e": Decimal("1.5"), "f": dt.datetime.now(dt.UTC), "g": {1, 2}, "h": True}
    assert readable(plain) == plain


def sample(order_id: int) -> int:
    """Of the module's top level."""
    return order_id


def test_a_function_crosses_by_its_name() -> None:
    assert Named.of("world", sample) == Named(f"{__name__}:sample")
    assert Named.of("world", "a.b:c") == Named("a.b:c")
    called = Call.of((sample, 1))
    assert (called.target, called.args) == (Named(f"{__name__}:sample"), (1,))
    assert Call.of(partial(sample, order_id=2)).kwargs == {"order_id": 2}
    assert Call.of(("a:b", 1, 2)) == Call(Named("a:b"), (1, 2))
    assert called.made(sample)() == 1


def test_a_function_without_such_a_name_is_refused() -> None:
    def local() -> None: ...

    for function in (local, lambda: 1, partial(sample, 1)):
        with pytest.raises(ProjectError, match="another process can't import"):
            Named.of("world", function)


def test_places_are_imported_from_in_order_and_once() -> None:
    assert Opening("a", "/here", ("/there", "/here", "")).places == ("/here", "/there")


def test_a_member_that_there_is_not_is_told_with_those_that_there_are() -> None:
    assert loading.member("atleastonce.own.worlds:readable") is readable
    with pytest.raises(ProjectError, match="has no 'redable'") as error:
        loading.member("atleastonce.own.worlds:redable")
    assert error.value.attempt == "atleastonce.own.worlds:readable"
    for name in ("readable", ":x", "x:"):
        with pytest.raises(ProjectError, match="names no member"):
            loading.member(name)


def test_a_module_that_raises_is_told_with_the_line(
    tmp_path: pytest.TempPathFactory,
) -> None:
    (tmp_path / "raising.py").write_text("import os\nos.environ['NO_SUCH_BROKER']\n")
    (tmp_path / "lacking.py").write_text("import nowhere_to_be_found\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(tmp_path))
        with pytest.raises(ProjectError, match="raised KeyError") as error:
            loading.module("raising")
        assert "raising.py, line 2" in error.value.seen
        assert "--env NO_SUCH_BROKER='{redis}'" in error.value.attempt
        with pytest.raises(ProjectError, match="lacking raised ModuleNotFoundError"):
            loading.module("lacking")


@pytest.mark.parametrize(
    ("host", "port", "reached"),
    [
        ("127.0.0.1", 6001, True),
        ("localhost", 6002, True),
        ("::1", 6005, True),
        ("127.0.0.1", 6006, False),
        ("127.0.0.1", 6379, False),
        ("10.0.0.1", 6001, False),
        ("10.0.0.1", 443, True),
        ("10.0.0.2", 443, False),
    ],
)
def test_nothing_but_the_lab_and_what_is_allowed_is_in_reach(
    tmp_path: Path, host: str, port: int, *, reached: bool
) -> None:
    at = Addresses(**{**vars(AT), "folder": str(tmp_path)})
    reach = Reach(at, ["10.0.0.1:443"])
    if reached:
        reach.check(host, port)
        return
    with pytest.raises(ProjectError, match=f"or --allow {host}:{port}"):
        reach.check(host, port)
    assert (tmp_path / "refused").read_text() == f"{host}:{port}\n"


HEAVY = {"celery", "kombu", "redis", "psycopg", "django", "typer", "rich", "requests"}


def test_a_run_of_pytest_that_uses_no_fixture_loads_nothing_heavy() -> None:
    code = "import sys, atleastonce.own.pytest_plugin; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {name.partition(".")[0] for name in loaded} & HEAVY
    ours = {name for name in loaded if name.startswith("atleastonce")}
    assert len(ours) <= 5, ours


class Link:
    """To a process that is interrupted in its first answer."""

    def __init__(self) -> None:
        self.asked = 0

    def send_bytes(self, _: bytes) -> None:
        self.asked += 1

    def recv_bytes(self) -> bytes:
        raise KeyboardInterrupt


def test_who_asks_after_an_interrupted_question_does_not_get_its_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client, link = Client.__new__(Client), Link()
    monkeypatch.setattr(client, "_link", link, raising=False)
    monkeypatch.setattr(client, "_busy", False, raising=False)
    with pytest.raises(KeyboardInterrupt):
        client._ask("first")
    with pytest.raises(
        ProjectError, match=r"interrupted\.\nTry: open the project again"
    ):
        client._ask("second")
    assert link.asked == 1


def test_a_question_that_can_not_be_read_is_answered_and_the_next_one_too() -> None:
    """The process with the project in it ended of it."""
    ours, theirs = Pipe()
    place = cast("Any", SimpleNamespace(refused=lambda: ()))
    thread = Thread(target=helper._serve, args=(theirs, place), daemon=True)
    thread.start()
    for _ in range(2):
        ours.send_bytes(b"cnowhere\nmissing\n.")
        assert ours.poll(5.0)
        answer = ours.recv()
        assert isinstance(answer, Failed)
        assert "No module named 'nowhere'" in answer.what
    ours.close()
    thread.join(5.0)
    assert not thread.is_alive()

"""The file server misbehaves as its paths say, and knows when its client has left."""

from __future__ import annotations

import socket
from contextlib import closing
from http.client import HTTPConnection, IncompleteRead
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest

from atleastonce.fileserver import SIZE, FileServer, content
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def files() -> Iterator[FileServer]:
    with FileServer() as server:
        yield server


def ask(files: FileServer, what: str, *values: object) -> tuple[int, str | None, bytes]:
    path = files.url("one", what, *values).partition(str(files.port))[2]
    with closing(HTTPConnection("127.0.0.1", files.port, timeout=10)) as link:
        link.request("GET", path)
        with link.getresponse() as found:
            return found.status, found.getheader("Location"), found.read()


def begun(files: FileServer, what: str, *values: object) -> socket.socket:
    """A client that has asked, and reads nothing."""
    link = socket.create_connection(("127.0.0.1", files.port))
    path = files.url("one", what, *values).partition(str(files.port))[2]
    link.sendall(f"GET {path} HTTP/1.1\r\n\r\n".encode())
    wait_until(lambda: files.open("one"), timeout=5, what="the server to take it")
    return link


@pytest.mark.parametrize(
    ("what", "values"),
    [("file", (3000,)), ("slow", (1000, 0.1)), ("headers", (10, 0.2))],
)
def test_what_is_slow_is_whole_in_the_end(
    files: FileServer, what: str, values: tuple[int, ...]
) -> None:
    assert ask(files, what, *values) == (200, None, content(values[0]))
    assert not files.seen("one")[0].left


def test_redirects_take_turns_and_end_in_a_file(files: FileServer) -> None:
    here = f"http://127.0.0.1:{files.port}"
    assert ask(files, "hops", 5, 0) == (302, f"{here}/one/hops/4/0", b"")
    assert ask(files, "hops", 4, 0) == (308, "/one/hops/3/0", b"")
    assert ask(files, "hops", 3, 0) == (307, "../2/0", b"")
    assert [ask(files, "hops", n, 0)[0] for n in (2, 1)] == [303, 301]
    assert ask(files, "hops", 0, 0) == (200, None, content(SIZE))
    assert ask(files, "loop", 0)[:2] == (302, "/one/loop/0")
    assert len(files.seen("one")) == 7


def test_redirects_lead_where_they_say(files: FileServer) -> None:
    with urlopen(files.url("one", "hops", 6, 0)) as found:  # noqa: S310 - ours
        assert found.read() == content(SIZE)
    with urlopen(files.url("drips", "hops", 3, 0, "drip")) as found:  # noqa: S310 - ours
        assert found.read(1) == b"x"
    whats = [one.what for one in files.seen("one") + files.seen("drips")]
    assert whats == ["hops"] * 11


def test_a_status_is_told(files: FileServer) -> None:
    assert ask(files, "status", 503) == (503, None, b"told")


@pytest.mark.parametrize(
    ("what", "error"), [("short", IncompleteRead), ("reset", OSError)]
)
def test_half_a_file_is_half_a_file(
    files: FileServer, what: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        ask(files, what, 1000)


@pytest.mark.parametrize(
    ("what", "values"),
    [("hang", ()), ("drip", ()), ("stall", (100,)), ("headers", (1, 60))],
)
def test_it_knows_when_the_client_has_left(
    files: FileServer, what: str, values: tuple[int, ...]
) -> None:
    link = begun(files, what, *values)
    assert (files.open("one"), files.seen("one")[0].left) == (1, False)
    link.close()
    wait_until(lambda: not files.open("one"), timeout=5, what="the server to see it")
    assert files.seen("one")[0].left
    assert 0 < files.lasted("one") < 5


def test_clear_ends_connections_and_forgets_them(files: FileServer) -> None:
    link = begun(files, "hang")
    files.clear()
    with link:
        assert link.recv(10) == b""
    assert files.seen("one") == []
    assert files.lasted("one") == 0.0


def test_names_may_hold_anything_but_a_slash(files: FileServer) -> None:
    path = files.url("a b, c=1", "file", 3).partition(str(files.port))[2]
    with closing(HTTPConnection("127.0.0.1", files.port, timeout=10)) as link:
        link.request("GET", path)
        assert link.getresponse().read() == content(3)
    assert len(files.seen("a b, c=1")) == 1

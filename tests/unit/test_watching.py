"""What is heard is counted, and what Sentry is sent is read."""

from __future__ import annotations

import gzip
import json
from http.client import HTTPConnection
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from atleastonce.sentry import Sentry, events_in, said
from atleastonce.shop.spans import tracer, written
from atleastonce.watching import counted

if TYPE_CHECKING:
    from pathlib import Path

ERROR = {"exception": {"values": [{"type": "OSError"}, {"type": "HTTPError"}]}}
LOGGED = {"logentry": {"message": "Task %s failed"}}


def envelope(*events: dict[str, object], sized: bool = True) -> bytes:
    lines = [b"{}"]
    for event in events:
        payload = json.dumps(event).encode()
        head: dict[str, object] = {"type": "event"}
        if sized:
            head["length"] = len(payload)
        lines += [json.dumps(head).encode(), payload]
    return b"\n".join(lines) + b"\n"


def test_an_envelope_s_events_are_read_with_and_without_their_length() -> None:
    for sized in (True, False):
        found = events_in(envelope(ERROR, LOGGED, sized=sized))
        assert found == [ERROR, LOGGED]


def test_what_is_no_event_is_left_out() -> None:
    assert events_in(b'{}\n{"type": "session"}\n{"sid": 1}\n') == []
    assert events_in(b"{}\n") == []


def test_an_event_is_named_after_the_exception_that_came_out_last() -> None:
    assert said(ERROR) == "HTTPError"
    assert said(LOGGED) == "log: Task %s failed"


def test_what_is_posted_is_kept_until_it_is_cleared() -> None:
    sentry = Sentry()
    connection = HTTPConnection(urlsplit(sentry.dsn).netloc.rpartition("@")[2])
    body = gzip.compress(envelope(ERROR))
    connection.request("POST", "/api/1/envelope/", body, {"Content-Encoding": "gzip"})
    assert connection.getresponse().status == 200
    connection.close()
    sentry.wait(1)
    assert sentry.events() == ["HTTPError"]
    sentry.clear()
    assert sentry.events() == []
    sentry.stop()


def test_equal_things_are_counted_in_a_fixed_order() -> None:
    heard = ["retry (child)", "failure (main)", "failure (main)"]
    assert counted(heard) == "2 x failure (main), retry (child)"
    assert counted(["log: a", "log: b"]) == "2 x log"
    assert counted([]) == "-"


def test_spans_are_a_line_of_json_each(tmp_path: Path) -> None:
    file = tmp_path / "spans"
    with tracer(file).start_as_current_span("charge") as span:
        span.set_attribute("order", 1)
    assert [span["attributes"] for span in written(file)] == [{"order": 1}]

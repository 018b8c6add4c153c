"""The timeline: one text for equal happenings, whatever order they were recorded in."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from atleastonce import ordering
from atleastonce.events import Event
from atleastonce.timeline import Timeline

if TYPE_CHECKING:
    from collections.abc import Callable

DOC = Path(__file__).parents[2] / "docs" / "reading-a-timeline.md"
AGAIN = {"redelivered": True}


def event(lane: str, kind: str, text: str = "", **more: Any) -> Event:  # noqa: ANN401 - Event's fields
    return Event(lane, kind, text, **more)


def attempt(
    lane: str, message: str, number: int = 1, *, end: str = "SUCCESS"
) -> list[Event]:
    """One attempt that charges, and ends; *end* "" leaves it open."""
    who: dict[str, Any] = {"message": message, "attempt": number}
    events = [
        event(lane, "deliver", data=AGAIN if number > 1 else {}, message=message),
        event(lane, "start", **who),
        event("gateway", "effect", "charge 30.00 ann", **who),
    ]
    if end:
        events += [event(lane, "finish", end, **who), event(lane, "ack", **who)]
    return events


def publish(message: str, text: str = "charge_order(1)") -> Event:
    return event("producer", "publish", text, message=message)


def fine(message: str = "id-1", lane: str = "w1") -> list[Event]:
    return [publish(message), *attempt(lane, message)]


def charged_twice(message: str = "id-1") -> list[Event]:
    return [
        publish(message),
        *attempt("w1", message, end=""),
        event("w1", "fault", "killed after charge", message=message, attempt=1),
        event("broker", "restore", message=message),
        *attempt("w2", message, 2),
    ]


def three_published_at_once() -> list[Event]:
    calls = [publish(f"id-{n}", f"charge_order({n})") for n in (1, 2, 3)]
    lanes = [attempt(f"w{n}", f"id-{n}") for n in (1, 2, 3)]
    return [*calls, *(e for row in zip(*lanes, strict=True) for e in row)]


def same_call_three_times() -> list[Event]:
    return [e for n in "xyz" for e in charged_twice(f"id-{n}")]


def early_ack() -> list[Event]:
    first, *rest = fine()
    early = replace(rest[-1], data={"early": True})
    return [first, rest[0], early, *rest[1:-1]]


def early_ack_queued_twice() -> list[Event]:
    """The second copy is delivered while the first runs, at any moment."""
    first, deliver, ack, *body = early_ack()
    second = [replace(e, attempt=e.attempt and 2) for e in body]
    return [first, deliver, ack, body[0], deliver, ack, *body[1:], *second]


def retried() -> list[Event]:
    again = event("w2", "retry", "ValueError", message="id-1", attempt=1)
    first = attempt("w2", "id-1", end="RETRY")
    return [publish("id-1"), *first[:3], again, *first[3:], *attempt("w1", "id-1", 2)]


def retried_with_early_acks() -> list[Event]:
    """The first ack is recorded at any moment after its deliver: after the retry."""
    again = event("w1", "retry", "retry 1", message="id-1", attempt=1)
    (first, deliver, ack, *body), second = early_ack(), early_ack()[3:]
    once_more = [replace(e, attempt=2) for e in second]
    one = [*body[:2], again, replace(body[2], text="RETRY")]
    return [first, deliver, ack, *one, deliver, ack, *once_more]


def parents_with_equal_children() -> list[Event]:
    events: list[Event] = []
    for n in ("a", "b"):
        story = fine(f"parent-{n}")
        child = event(
            "w1", "publish", "receipt()", message=f"child-{n}", ties=(f"parent-{n}",)
        )
        events += [*story[:3], child, *story[3:], *attempt("w2", f"child-{n}")]
    return events


def worker_killed_from_outside() -> list[Event]:
    return [
        *fine("id-0"),
        publish("id-1"),
        *attempt("w1", "id-1", end=""),
        event("w1", "fault", "killed"),
        event("broker", "restore", message="id-1"),
        *attempt("w2", "id-1", 2),
        *fine("id-2", "w3"),
    ]


def redis_crashed() -> list[Event]:
    crash = event("redis", "fault", "crashed")
    return [*fine("id-1"), *fine("id-2", "w2"), crash, *fine("id-3", "w2")]


def one_lock_two_messages() -> list[Event]:
    lock = ("order 1",)
    return [
        publish("id-1"),
        publish("id-2"),
        event("w1", "start", message="id-1", attempt=1),
        event("w2", "start", message="id-2", attempt=1),
        event("postgres", "note", "read 100", message="id-1", attempt=1, ties=lock),
        event("postgres", "note", "read 100", message="id-2", attempt=1, ties=lock),
        event("postgres", "effect", "wrote 110", message="id-1", attempt=1, ties=lock),
        event("postgres", "effect", "wrote 105", message="id-2", attempt=1, ties=lock),
        event("w1", "finish", "SUCCESS", message="id-1", attempt=1),
        event("w2", "finish", "SUCCESS", message="id-2", attempt=1),
    ]


HAPPENINGS: list[Callable[[], list[Event]]] = [
    fine,
    charged_twice,
    early_ack_queued_twice,
    three_published_at_once,
    same_call_three_times,
    early_ack,
    retried,
    retried_with_early_acks,
    parents_with_equal_children,
    worker_killed_from_outside,
    redis_crashed,
    one_lock_two_messages,
]


def shuffled(events: list[Event], seed: int) -> list[Event]:
    """The same happenings, recorded in another order; new task ids, another clock."""
    chance = random.Random(seed)
    missing = [set(before) for before in ordering.causes(events)]
    left, done, order = list(range(len(events))), set[int](), list[int]()
    while left:
        at = chance.choice([i for i in left if missing[i] <= done])
        left.remove(at)
        done.add(at)
        order.append(at)
    ids = {e.message: f"{chance.getrandbits(64):x}" for e in events if e.message}
    return [
        replace(
            events[i],
            message=ids.get(events[i].message, ""),
            ties=tuple(ids.get(tie, tie) for tie in events[i].ties),
            time=chance.random(),
        )
        for i in order
    ]


@pytest.mark.parametrize("happened", HAPPENINGS)
def test_the_text_does_not_depend_on_the_recorded_order_of_concurrent_events(
    happened: Callable[[], list[Event]],
) -> None:
    events = happened()
    expected = Timeline(events)
    for seed in range(300):
        found = Timeline(shuffled(events, seed))
        assert str(found) == str(expected), seed
        assert found.alt == expected.alt
        assert found._repr_html_() == expected._repr_html_()


@pytest.mark.parametrize("happened", HAPPENINGS)
def test_a_cause_is_printed_before_its_effect(
    happened: Callable[[], list[Event]],
) -> None:
    events = shuffled(happened(), 1)
    direct = ordering.causes(events)
    order = ordering.canonical(events, direct)
    place = {at: position for position, at in enumerate(order)}
    assert sorted(order) == list(range(len(events)))
    assert all(place[i] < place[at] for at, before in enumerate(direct) for i in before)


@pytest.mark.parametrize("happened", HAPPENINGS)
def test_shuffles_really_differ(happened: Callable[[], list[Event]]) -> None:
    events = happened()
    kinds = {tuple((e.lane, e.kind) for e in shuffled(events, n)) for n in range(20)}
    assert len(kinds) > 1 or happened in {fine, charged_twice}


def test_publishing_in_a_burst_tells_each_story_after_the_other() -> None:
    timeline = Timeline(shuffled(three_published_at_once(), 7))
    assert [e.message for e in timeline.events] == ["m1"] * 6 + ["m2"] * 6 + ["m3"] * 6
    assert timeline.gaps == {6, 12}


def test_what_shares_a_lock_is_told_in_the_order_of_the_lock() -> None:
    told = [e.text for e in Timeline(one_lock_two_messages()).events]
    told = [text for text in told if text.startswith(("read", "wrote"))]
    assert told == ["read 100", "read 100", "wrote 110", "wrote 105"]


def test_an_early_ack_stands_after_its_deliver() -> None:
    late = early_ack()
    late.append(late.pop(2))
    kinds = [e.kind for e in Timeline(late).events]
    assert kinds == ["publish", "deliver", "ack", "start", "effect", "finish"]


def test_a_retry_ends_its_attempt_before_the_next_is_delivered() -> None:
    events = retried()
    next_deliver = events.pop(7)
    events.insert(5, next_deliver)
    assert str(Timeline(events)) == str(Timeline(retried()))


def test_a_worker_killed_from_outside_dies_after_what_it_did() -> None:
    text = str(Timeline(shuffled(worker_killed_from_outside(), 3)))
    assert text.index("m2 #1  effect") < text.index("killed") < text.index("restore")


def test_a_crashed_service_parts_what_was_before_from_what_came_after() -> None:
    text = str(Timeline(shuffled(redis_crashed(), 5)))
    assert text.index("m2 #1  ack") < text.index("crashed") < text.index("m3")


def test_the_life_of_a_worker_is_shown_with_the_clock_only() -> None:
    life = [event("w1", "ready", time=4.0), event("w1", "exit", "signal 9", time=9.5)]
    events = [life[0], *(replace(e, time=5.25) for e in charged_twice()), life[1]]
    assert str(Timeline(events)) == str(Timeline(charged_twice()))
    lines = str(Timeline(events, times=True)).splitlines()
    assert lines[0] == "     0.000  w1               ready"
    assert lines[4].startswith("*    1.250  gateway   m1 #1  effect")
    assert lines[-1].split() == ["5.500", "w1", "exit", "signal", "9"]


def test_no_task_id_is_left_in_the_text_nor_in_the_events() -> None:
    timeline = Timeline(parents_with_equal_children())
    assert timeline.names == {
        "parent-a": "m1",
        "child-a": "m2",
        "parent-b": "m3",
        "child-b": "m4",
    }
    assert "parent" not in repr(timeline) + repr(timeline.events)


def test_lines_are_at_most_80_columns_and_lose_no_word() -> None:
    text = "a mail to somebody with a long name and a long subject " * 3
    story = [publish("id-1"), event("mail", "effect", text, message="id-1", attempt=12)]
    for times in (False, True):
        lines = str(Timeline(story, times=times)).splitlines()
        assert max(map(len, lines)) <= 80
        assert " ".join(" ".join(lines[1:]).split()).endswith(" ".join(text.split()))


def test_a_line_break_in_a_text_breaks_no_line() -> None:
    story = [event("producer", "note", "one\ntwo")]
    assert str(Timeline(story)).endswith("note     one two")


def test_nothing_happened_is_said() -> None:
    assert str(Timeline([])) == "(nothing happened)"
    assert Timeline([])._repr_html_().count("(nothing happened)") == 1


def test_one_story_is_found_by_name_and_by_task_id() -> None:
    timeline = Timeline(same_call_three_times())
    assert str(timeline.of("m2")) == str(timeline.of("id-y"))
    assert {e.message for e in timeline.of("m2").events} == {"m2"}
    assert len(timeline.of("m2").events) == len(charged_twice())


def test_an_unknown_message_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(KeyError, match=r"no message 'm9'.*known: m1"):
        Timeline(fine()).of("m9")


def test_effects_and_attempts_are_counted() -> None:
    timeline = Timeline(charged_twice())
    assert [e.attempt for e in timeline.effects("gateway")] == [1, 2]
    assert timeline.effects() == timeline.effects("gateway")
    assert timeline.effects("mail") == ()
    assert timeline.attempts("m1") == timeline.attempts("id-1") == 2


def test_the_alt_text_says_what_the_picture_shows() -> None:
    assert Timeline(charged_twice()).alt == (
        "Timeline of 11 events; lanes: producer, broker, w1, w2, gateway. "
        "m1 charge_order(1): 2 attempts, effect charge 30.00 ann (2 times), "
        "fault killed after charge (1 time), SUCCESS, 1 ack."
    )


def test_the_html_has_the_same_text_and_inline_styles_only() -> None:
    timeline = Timeline([*charged_twice(), event("producer", "note", "<b> & co")])
    html = timeline._repr_html_()
    assert unescape(re.sub("<[^>]*>", "", html)) == str(timeline)
    assert "&lt;b&gt; &amp; co" in html
    assert not re.search(r"class=|<style|<script", html)
    # Both colours or none: the theme around it may be light or dark.
    for style in re.findall(r'<span style="([^"]*)"', html):
        assert "background-color: #" in style
        assert style.startswith("color: #")


def test_a_thousand_events_are_ordered_in_a_moment() -> None:
    events = [e for n in range(200) for e in fine(f"id-{n}")]
    assert str(Timeline(shuffled(events, 2))) == str(Timeline(events))


def test_the_page_on_reading_a_timeline_shows_real_ones() -> None:
    shown = re.findall(r"```text\n(.*?)```", DOC.read_text(), re.DOTALL)
    real = [fine, charged_twice, three_published_at_once, one_lock_two_messages]
    assert shown == [f"{Timeline(happened())}\n" for happened in real]


def test_the_page_on_reading_a_timeline_names_every_kind() -> None:
    page = DOC.read_text()
    assert [k for k in (*ordering.KINDS, "ready", "exit") if f"`{k}`" not in page] == []

"""The table of a sweep: source, boundaries under it, outcomes beside it."""

from atleastonce.explore.sweep import Sweep
from atleastonce.explore.sweep_points import chosen, difference, place, read
from atleastonce.explore.sweep_table import Row, as_text, picture
from atleastonce.workers.points import Point

SOURCE = {
    3: "    with transaction.atomic():\n",
    4: "        payments.charge(1)\n",
}
TWICE = "charges 2, not 1"


def source(_file: str, line: int) -> str:
    return SOURCE[line]


def point(number: int, kind: str, line: int, moment: str = "before") -> Point:
    name = "charge" if kind == "http" else ""
    text = {"http": "POST /charges", "commit": "COMMIT"}.get(kind, "")
    return Point(
        number,
        kind,
        moment,
        name,
        text,
        "billing.py",
        line,
        "charge_order",
        instruction=number,
    )


POINTS = [
    point(0, "line", 3),
    point(1, "line", 4),
    point(2, "http", 4, "before"),
    point(3, "http", 4, "done"),
    point(4, "http", 4, "after"),
    point(5, "line", 3),
    point(6, "commit", 3, "before"),
    point(7, "commit", 3, "done"),
    point(8, "commit", 3, "after"),
    point(9, "returned", 3),
    point(10, "stored", 3),
]
BAD = {3, 4, 5, 6}
ROWS = tuple(
    Row(p, *(("duplicate", TWICE) if p.number in BAD else ("ok", ""))) for p in POINTS
)
TABLE = """\
   3      with transaction.atomic():                ok
   4          payments.charge(1)                    ok
            POST /charges: before                   ok
            POST /charges: done, after              duplicate  charges 2, not 1
   3      with transaction.atomic():  # leaving it  duplicate  charges 2, not 1
            COMMIT: before                          duplicate  charges 2, not 1
            COMMIT: done, after                     ok
      returned, result not stored                   ok
      result stored, message not acknowledged       ok"""


def swept(*problems: str) -> Sweep:
    lines = tuple(picture(ROWS, source))
    expected, start = {"charges": 1}, {"charges": 0}
    return Sweep(
        "charge_order(1)", "child killed", ROWS, expected, start, problems, lines, 1.0
    )


def test_moments_share_a_line_as_long_as_they_led_to_the_same() -> None:
    assert as_text(picture(ROWS, source)) == TABLE


def test_a_boundary_without_its_line_gets_the_line_as_a_heading() -> None:
    text = as_text(picture(ROWS[3:4], source))
    assert text.splitlines() == [
        "   4          payments.charge(1)",
        "            POST /charges: done   duplicate  charges 2, not 1",
    ]


def test_the_summary_counts_outcomes_and_tells_what_is_not_to_be_believed() -> None:
    assert repr(swept()) == (
        "charge_order(1), child killed at each of 11 points: 7 ok, 4 duplicate.\n\n"
        + TABLE
    )
    assert "Not to be believed: it rained" in repr(swept("it rained"))


def test_a_sweep_can_be_read_by_machines_and_in_a_notebook() -> None:
    found = swept()
    assert not found.ok
    assert found.verdict == "fail"
    first = found.first("duplicate")
    assert first
    assert first.point.number == 3
    assert found.first("lost") is None
    read_back = found.to_dict()
    assert read_back["rows"][3]["place"] == "line 4, charge: done"
    assert read_back["outcomes"] == {"ok": 7, "duplicate": 4}
    assert "<td" in found._repr_html_()
    assert "border-left:6px solid #d55e00;font-weight:600'>duplicate" in (
        found._repr_html_()
    )


def test_a_lost_reply_strikes_where_the_other_side_is_done_only() -> None:
    assert [p.number for p in chosen(POINTS, "lose reply")] == [3, 7]
    assert [p.number for p in chosen(POINTS, "cut")] == [2, 3, 6, 7]
    assert len(chosen(POINTS, "kill")) == 11
    spared = [p for p in chosen(POINTS, "kill") if p.kind == "line"]
    assert len(chosen(POINTS, "kill", lines=False)) == 11 - len(spared) < 11
    assert POINTS[10] not in chosen(POINTS, "soft limit")


def test_a_point_is_found_again_as_the_nth_that_looks_like_it() -> None:
    assert place(POINTS[0], POINTS).nth == 1
    assert place(POINTS[5], POINTS).nth == 2
    assert place(POINTS[3], POINTS).effect == "charge"


def test_two_runs_differ_where_the_first_unequal_points_are() -> None:
    assert difference(POINTS, POINTS) == ""
    other = [*POINTS[:2], *POINTS[5:]]
    assert difference(POINTS, other) == "line 4, charge: before, then line 3"
    assert difference(POINTS[:3], POINTS) == "3 points, then 11"


def test_what_kombu_asks_once_per_process_is_no_point() -> None:
    line = '{"number": %d, "kind": "redis", "name": "%s", "text": "%s"}'
    asked = [("ping", "PING"), ("llen", "LLEN celery"), ("lpush", "LPUSH celery")]
    trace = "\n".join(line % (n, *words) for n, words in enumerate(asked))
    assert [p.name for p in read(trace)] == ["lpush"]

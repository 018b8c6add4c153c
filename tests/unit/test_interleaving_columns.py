"""A schedule side by side, and the result around it."""

from decimal import Decimal
from typing import Any

from atleastonce.explore.columns import as_html, as_text, brief, rows
from atleastonce.explore.result import Interleavings
from atleastonce.explore.steps import Place, Schedule, Step

SOURCE = {7: "    a = Account.objects.get(pk=pk)\n", 9: "    a.save()\n"}


def source(_file: str, line: int) -> str:
    return SOURCE[line]


def at(line: int, name: str, text: str) -> Place:
    kind = "commit" if name == "commit" else "sql"
    return Place(kind, name, text, "billing.py", line, "deposit")


READ = at(7, "select", 'SELECT "shop_account"."id" FROM "shop_account" WHERE 1')
WRITE = at(9, "update", 'UPDATE "shop_account" SET "balance" = 1')
COMMIT = at(9, "commit", "COMMIT")


def lost_update() -> Schedule:
    steps = (
        Step(0, (0, 1), READ),
        Step(1, (0, 1), READ),
        Step(1, (0, 1), WRITE),
        Step(0, (0,), WRITE),
    )
    return Schedule(steps, {"balance": Decimal(110)}, ("", ""))


def test_a_boundary_stands_under_the_line_that_caused_it() -> None:
    text = as_text(["copy 1", "copy 2"], rows(lost_update(), source))
    assert text == (
        "copy 1                               copy 2\n"
        "  7 a = Account.objects.get(pk=pk)\n"
        "      SELECT shop_account\n"
        "                                       7 a = Account.objects.get(pk=pk)\n"
        "                                           SELECT shop_account\n"
        "                                       9 a.save()\n"
        "                                           UPDATE shop_account\n"
        "  9 a.save()\n"
        "      UPDATE shop_account"
    )


def test_a_line_with_two_boundaries_is_shown_once() -> None:
    steps = (Step(0, (0, 1), WRITE), Step(0, (0, 1), COMMIT))
    found = rows(Schedule(steps, {}, ("", "")), source)
    assert [row.kind for row in found] == ["source", "boundary", "boundary"]


def test_a_wait_its_end_and_an_error_stand_where_they_happened() -> None:
    steps = (
        Step(0, (0, 1), WRITE),
        Step(1, (0, 1), WRITE, waiting=(1,)),
        Step(0, (0,), COMMIT),
        Step(1, (1,), COMMIT),
    )
    error = "IntegrityError: duplicate key"
    found = rows(Schedule(steps, {}, ("", error)), source)
    told = [
        (row.copy, row.text.strip()) for row in found if row.kind in ("lock", "error")
    ]
    assert told == [
        (1, "waits for a lock"),
        (1, "goes on"),
        (1, f"!! {error}"),
    ]
    assert found[-1].kind == "error"


def test_a_long_line_is_cut_and_html_is_escaped() -> None:
    found = rows(
        Schedule((Step(1, (1,), READ),), {}, ("", "")), lambda *_: "x < 1 " * 20
    )
    text = as_text(["a", "b"], found)
    assert max(map(len, text.splitlines())) <= 80
    assert "…" in text
    assert "x &lt; 1" in as_html(["a", "b"], found)


def test_three_copies_stand_below_each_other_on_80_characters() -> None:
    steps = tuple(Step(copy, (copy,), READ) for copy in range(3))
    found = rows(Schedule(steps, {}, ("", "", "")), lambda *_: "x < 1 " * 20)
    head, *body = as_text(["copy 1: a", "copy 2: b", "copy 3: c"], found).splitlines()
    assert head == "copy 1: a"
    assert [line[:3] for line in body[2:]] == ["1 |", "1 |", "2 |", "2 |", "3 |", "3 |"]
    assert max(map(len, body)) == 80


def test_html_has_columns_that_shrink_and_no_colour_of_letters() -> None:
    html = as_html(["a", "b"], rows(lost_update(), source))
    assert "table-layout:fixed;width:100%" in html
    assert "color:" not in html


def test_a_statement_is_told_by_its_verb_and_its_table() -> None:
    assert brief(READ) == "SELECT shop_account"
    assert brief(Place("redis", "set", "SET hits")) == "SET hits"
    assert brief(Place("http", "charge", "POST /charges")) == "POST /charges"


def result(**changed: Any) -> Interleavings:  # noqa: ANN401 - its fields
    known: dict[str, Any] = {
        "copies": ("deposit(1, 10)", "deposit(1, 5)"),
        "grain": "effect",
        "schedules": 6,
        "broken": 0,
        "waited": 0,
        "raised": {},
        "pruned": 0,
        "serial": ({"balance": 115},),
        "worlds": (({"balance": 115}, 6),),
        "shortest": None,
        "rows": (),
        "unexplored": "",
        "seconds": 0.1,
        "digest": "",
    }
    return Interleavings(**known | changed)


def test_all_schedules_without_a_break_are_a_pass() -> None:
    assert result().verdict == "pass"
    assert (
        str(result())
        == "6 schedules of 2 copies, by effect boundaries: none breaks it."
    )


def test_what_was_not_explored_is_said_and_is_no_success() -> None:
    found = result(unexplored="max_schedules=6 was reached")
    assert found.verdict == "unknown"
    assert not found.complete
    assert "none breaks it so far" in str(found)
    assert "Not all was explored: max_schedules=6 was reached." in str(found)


def test_one_break_is_a_fail_however_much_was_not_explored() -> None:
    shortest = lost_update()
    found = result(
        broken=4,
        shortest=shortest,
        rows=tuple(rows(shortest, source)),
        unexplored="deadline=1 s was reached",
    )
    assert found.verdict == "fail"
    assert "world: {'balance': Decimal('110')}" in str(found)
    assert "one after the other: {'balance': 115}" in str(found)
    assert "<table" in found._repr_html_()


def test_the_result_is_plain_for_machines() -> None:
    found = result(broken=1, shortest=lost_update()).to_dict()
    assert found["verdict"] == "fail"
    assert found["shortest"]["world"] == {"balance": "110"}
    assert found["shortest"]["steps"][0]["place"]["line"] == 7
    assert found["worlds"] == [[{"balance": "115"}, 6]]

"""Worlds and tables as text and as HTML."""

from __future__ import annotations

from atleastonce.world import World, table

NAIVE = World({"charges": 2, "orders paid": 1})
KEYED = World({"charges": 1, "orders paid": 1})


def test_a_world_prints_one_count_per_line() -> None:
    assert repr(NAIVE) == "charges      2\norders paid  1"


def test_a_table_has_a_row_per_run_and_its_numbers_to_the_right() -> None:
    shown = table({"naive": NAIVE, "with a key": KEYED})

    assert repr(shown).splitlines() == [
        "            charges  orders paid",
        "naive             2            1",
        "with a key        1            1",
    ]


def test_a_table_shows_the_columns_that_were_asked_for() -> None:
    assert table({"naive": NAIVE}, columns=["charges"]).head == ["", "charges"]


def test_a_table_in_a_notebook_escapes_what_it_shows() -> None:
    assert "<td style" in table({"<b>": NAIVE})._repr_html_()
    assert "<b>" not in table({"<b>": NAIVE})._repr_html_()

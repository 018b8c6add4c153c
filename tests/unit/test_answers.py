"""Stub or answer, by syntax tree; and stubs from marked solutions."""

from __future__ import annotations

import pytest

from atleastonce import answers, stubs

STUB = (
    "%%tasks billing\ndef charge(order):\n    # TODO: once.\n"
    "    raise NotImplementedError"
)
DONE = STUB.replace("raise NotImplementedError", "return order")


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("%%tasks billing\nx = 1", {"%%tasks billing"}),
        (
            "def a(): ...\nasync def b(): ...\nclass C: ...\nd: int = 1\ne = 2",
            set("abCde"),
        ),
        ("def broken(:\n", {"broken"}),
        ("if a == 1: b = 2", set()),
    ],
)
def test_a_cell_goes_by_its_module_or_by_what_it_defines(
    source: str, names: set[str]
) -> None:
    assert answers.titles(source) == names


@pytest.mark.parametrize(
    "source",
    [
        STUB,
        STUB.replace("# TODO: once.", "# later"),
        STUB.replace("    raise", "\n\n    raise") + "\n\n",
    ],
)
def test_comments_and_blanks_do_not_make_an_answer(source: str) -> None:
    assert not answers.attempted([STUB], [source])


@pytest.mark.parametrize("source", [DONE, STUB + "(", STUB + "\nx = 1"])
def test_a_changed_tree_is_an_answer_also_a_broken_one(source: str) -> None:
    assert answers.attempted([STUB], [source])


@pytest.mark.parametrize(
    "sources",
    [
        [],
        [""],
        ["# nothing"],
        ["%%tasks billing\n"],
        [DONE, STUB],
        ["%%tasks other\nx = 1"],
    ],
)
def test_the_last_cell_of_that_name_counts_and_an_empty_one_never(
    sources: list[str],
) -> None:
    assert not answers.attempted([STUB], sources)


def test_claims_are_read_from_the_calls_of_a_cell() -> None:
    source = 'x = 1\ncheck("ex1-a", "it holds", evidence("x", seen=x, want=1))'
    assert answers.checks_of(source) == [("ex1-a", "it holds")]
    assert answers.checks_of("check(") == []


def test_a_marked_region_becomes_a_stub_at_its_own_indent() -> None:
    source = (
        "def f():\n    # TODO: this.\n    ### BEGIN SOLUTION\n    return 1\n"
        "    ### END SOLUTION\nlast = 1"
    )
    assert stubs.clear(source) == (
        "def f():\n    # TODO: this.\n    raise NotImplementedError\nlast = 1"
    )


def test_an_author_says_what_stands_in_a_region_instead() -> None:
    source = (
        "### BEGIN SOLUTION\n### STUB @app.task\n@app.task(acks_late=True)\n"
        "### END SOLUTION\ndef f(): ...\n### BEGIN SOLUTION\n### STUB\nmore = 1\n"
        "### END SOLUTION"
    )
    assert stubs.clear(source) == "@app.task\ndef f(): ..."

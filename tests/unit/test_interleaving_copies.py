"""What may be given as a copy, and what is refused."""

import functools
import pickle
import subprocess

import pytest

from atleastonce.errors import ExploreError
from atleastonce.explore.copies import Copy
from atleastonce.explore.locks import Wait, in_cycle, race


def test_a_partial_a_tuple_and_a_function_are_copies() -> None:
    whole = Copy.of((subprocess.call, ["true"]))
    assert whole == Copy.of(functools.partial(subprocess.call, ["true"]))
    assert whole.text == "call(['true'])"
    assert Copy.of(subprocess.getoutput).args == ()


def test_a_copy_survives_the_way_to_its_process() -> None:
    copy = Copy.of((subprocess.call, ["true"]))
    again = pickle.loads(copy.pack())  # noqa: S301 - our own
    assert again == copy
    assert again.job()() == 0


def test_a_signature_is_a_copy() -> None:
    celery = pytest.importorskip("celery")
    app = celery.Celery("x", set_as_current=False)
    task = app.task(name="odd.name")(subprocess.getoutput)
    with pytest.raises(ExploreError, match="can't be imported"):
        # The module has the function, not this task.
        Copy.of(task.s("true"))


@pytest.mark.parametrize("given", [lambda: None, 3, None])
def test_what_no_other_process_can_import_is_refused(given: object) -> None:
    with pytest.raises(ExploreError) as error:
        Copy.of(given)
    assert error.value.attempt


def test_an_argument_that_cannot_travel_is_refused() -> None:
    with pytest.raises(ExploreError, match="can't be sent"):
        Copy.of((subprocess.call, lambda: None)).pack()


def wait(*holders: int, queued: bool = False) -> Wait:
    return Wait(frozenset(holders), frozenset(), queued=queued, cycle=False)


def test_two_that_wait_for_one_holder_are_a_race() -> None:
    assert race([wait(1), wait(1)])
    assert race([wait(1), wait(2, queued=True)])
    assert not race([wait(1), wait(2)])
    assert not race([wait(1)])


def test_a_cycle_is_found_through_others_and_not_beside_one() -> None:
    holders = {1: frozenset({2}), 2: frozenset({3}), 3: frozenset({1})}
    assert in_cycle(1, holders)
    # The fourth waits for a cycle, and is in none.
    assert not in_cycle(4, holders | {4: frozenset({1})})

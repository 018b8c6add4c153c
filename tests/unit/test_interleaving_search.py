"""The search itself, on toy copies that are plain lists of steps."""

from __future__ import annotations

import math
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import pytest

from atleastonce.errors import ExploreError
from atleastonce.explore.search import Search
from atleastonce.explore.steps import Place, Schedule, Step
from atleastonce.explore.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atleastonce.explore.steps import World

    Choose = Callable[[Sequence[Step], Sequence[int]], int]


class Toy:
    """Copies of so many steps each; what they do is only the order."""

    def __init__(self, *lengths: int) -> None:
        self.lengths = lengths
        self.runs = 0

    def play(self, choose: Choose) -> Schedule:
        self.runs += 1
        left, steps = list(self.lengths), []
        while any(left):
            enabled = tuple(i for i, n in enumerate(left) if n)
            copy = choose(steps, enabled)
            left[copy] -= 1
            place = Place("line", line=self.lengths[copy] - left[copy])
            steps.append(Step(copy, enabled, place))
        return Schedule(tuple(steps), self.world(steps), ("",) * len(left))

    def world(self, steps: list[Step]) -> World:
        return {"order": [step.copy for step in steps]}


@pytest.mark.parametrize("lengths", [(1, 1), (2, 2), (3, 2), (5, 5), (2, 2, 2)])
def test_every_schedule_is_run_exactly_once(lengths: tuple[int, ...]) -> None:
    # The orders of n steps of which each copy's own come in a fixed order: n! over
    # the product of the copies' own factorials.
    expected = math.factorial(sum(lengths))
    for length in lengths:
        expected //= math.factorial(length)
    orders = [schedule.order for schedule in Search(Toy(*lengths).play)]
    assert len(orders) == len(set(orders)) == expected


def test_schedules_with_few_switches_come_first() -> None:
    found = [schedule.switches for schedule in Search(Toy(3, 3).play)]
    assert found[:2] == [1, 1]
    # A forced switch at the end of a copy is not counted beforehand: one late at most.
    assert all(after >= before - 1 for before, after in pairwise(found))


def test_a_search_that_is_stopped_knows_what_is_left() -> None:
    search = Search(Toy(3, 3).play)
    assert len(list(islice(search, 5))) == 5
    assert search.open > 0
    assert search.level >= 1


class Forgetful(Toy):
    """After its third run the second copy has nothing to do."""

    def play(self, choose: Choose) -> Schedule:
        if self.runs == 2:
            self.lengths = (3, 0)
        return super().play(choose)


def test_a_step_that_is_not_possible_again_is_a_fault_of_the_copies() -> None:
    with pytest.raises(ExploreError, match=r"Step \d of the replay was not possible"):
        list(Search(Forgetful(2, 2).play))


class Shrinking(Toy):
    """From its third run on the copy that ends last has a step less."""

    def play(self, choose: Choose) -> Schedule:
        if self.runs == 2:
            self.lengths = (3, 2)
        return super().play(choose)


def test_a_replay_that_is_over_sooner_is_a_fault_of_the_copies() -> None:
    search = Search(Shrinking(3, 3).play)
    first = search.again((), None)
    search.again((), None)
    with pytest.raises(ExploreError, match="another number of steps"):
        search.again(first.order, first)


class Spinning(Toy):
    """Copy 1 has the lock for three steps; copy 2 spins until then, or for 99 steps."""

    def play(self, choose: Choose) -> Schedule:
        self.runs += 1
        left, steps = 3, []
        while left:
            place = Place("line", line=3 - left)
            copy = choose(steps, (0, 1))
            left -= copy == 0
            place = place if copy == 0 else Place("redis", "set")
            steps.append(Step(copy, (0, 1), place))
            if len(steps) == 99:
                return Schedule(tuple(steps), {}, ("", ""), endless="made 99 steps")
        return Schedule(tuple(steps), self.world(steps), ("", ""))


def test_after_an_endless_schedule_the_others_are_run_all_the_same() -> None:
    found = list(islice(Search(Spinning().play), 40))
    assert found[0].order == (0, 0, 0)
    endless = [s for s in found if s.endless]
    assert len(endless[0].steps) == 99
    # The other copy goes on after each of so many vain turns.
    assert (1, 0, 0, 0) in {s.order for s in found}
    assert (1, 1, 0, 0, 0) in {s.order for s in found}
    tally = Tally(lambda _: True)
    for schedule in found:
        tally.add(schedule)
    assert tally.schedules + tally.endless.total() == 40
    assert tally.endless["made 99 steps"] == len(endless)


class Moody(Toy):
    """Its steps are other ones in every run."""

    def play(self, choose: Choose) -> Schedule:
        found = super().play(choose)
        steps = [
            Step(s.copy, s.enabled, Place("line", line=100 * self.runs + k))
            for k, s in enumerate(found.steps)
        ]
        return Schedule(tuple(steps), found.world, found.errors)


def test_a_step_that_is_another_one_when_run_again_is_a_fault_of_the_copies() -> None:
    with pytest.raises(ExploreError, match="was another one than before"):
        list(Search(Moody(2, 2).play))


def test_the_shortest_breaking_schedule_has_the_fewest_switches() -> None:
    # Broken: the second copy moves between the first copy's two steps.
    def holds(world: World) -> bool:
        first = [k for k, copy in enumerate(world["order"]) if copy == 0]
        return first[1] - first[0] == 1

    tally = Tally(holds)
    for schedule in Search(Toy(2, 2).play):
        tally.add(schedule)
    assert (tally.schedules, tally.broken) == (6, 3)
    assert tally.shortest.order == (0, 1, 1, 0)


def test_a_schedule_in_which_two_wait_for_one_lock_is_left_out_and_said() -> None:
    tally = Tally(lambda _: True)
    tally.add(Schedule((), {}, ("", "", ""), raced=0))
    assert (tally.schedules, tally.pruned) == (0, 1)


def test_equal_runs_have_equal_digests_and_other_runs_have_others() -> None:
    def digest(*lengths: int) -> str:
        tally = Tally(lambda _: True)
        for schedule in Search(Toy(*lengths).play):
            tally.add(schedule)
        return tally.digest

    assert digest(2, 2) == digest(2, 2)
    assert digest(2, 2) != digest(2, 1)

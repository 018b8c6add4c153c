"""What a crash sweep is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from atleastonce.errors import ExploreError
from atleastonce.explore.crash_sweep import _attempts, crash_sweep
from atleastonce.explore.planted import Planted

if TYPE_CHECKING:
    from collections.abc import Sequence


@pytest.mark.parametrize(
    ("given", "struck"), [(2, (2,)), ([2, 1], (1, 2)), ((1, 1), (1,))]
)
def test_each_attempt_is_struck_once_and_in_order(
    given: int | Sequence[int], struck: tuple[int, ...]
) -> None:
    assert _attempts(given) == struck


@pytest.mark.parametrize("given", [(), [], 0, (1, 0)])
def test_a_sweep_that_strikes_no_attempt_is_refused(given: int | Sequence[int]) -> None:
    """It passed: nothing was struck, so nothing was lost."""
    with pytest.raises(ExploreError, match=r"count from 1\.\nTry: attempt=1"):
        crash_sweep(print, attempt=given, world=dict)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("kill", "worker killed"),
        ("soft limit", "child stopped by a soft time limit"),
        ("cut", "connection cut"),
    ],
)
def test_a_fault_is_named_with_whom_it_hits(fault: str, said: str) -> None:
    assert Planted(fault, "worker", (1,)).text == said

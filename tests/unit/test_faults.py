"""Faults say what they are, and refuse what they can't be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from atleastonce import faults
from atleastonce.errors import FaultError
from atleastonce.workers.plan import At

if TYPE_CHECKING:
    from atleastonce.faults import Fault


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (faults.kill(after="charge"), "killed after charge"),
        (faults.kill(before=7), "killed before line 7"),
        (faults.kill("worker", before="order.save()"), "killed before order.save()"),
        (faults.kill(after="returned"), "killed before the result was stored"),
        (faults.kill(after="stored"), "killed before the ack"),
        (faults.kill("worker", after="delivered"), "killed before the start"),
        (faults.term(before="charge"), "SIGTERM before charge"),
        (faults.soft_limit(after=3), "soft time limit after line 3"),
        (faults.freeze(before="commit"), "frozen before commit"),
        (faults.lose_reply("charge"), "reply lost after charge"),
        (faults.cut("mail"), "connection cut before mail"),
        (faults.lose_reply("publish"), "reply lost after publish"),
        (faults.cut("publish"), "connection cut before publish"),
    ],
)
def test_a_fault_reads_as_what_happened(fault: Fault, text: str) -> None:
    assert fault.text == text


def test_after_an_effect_means_that_the_other_side_has_done_it() -> None:
    assert faults.kill(after="charge").at() == At(effect="charge", moment="done")
    assert faults.kill(before="charge").at() == At(effect="charge", moment="before")


def test_before_a_line_is_at_it_and_after_a_line_is_at_the_next() -> None:
    assert faults.kill(before=7).at("a.py", 7) == At(file="a.py", line=7, effect="line")
    assert faults.kill(after=7).at("a.py", 7) == At(file="a.py", left=7)


def test_a_fault_has_exactly_one_place() -> None:
    with pytest.raises(FaultError, match="exactly one"):
        faults.kill()
    with pytest.raises(FaultError, match="exactly one"):
        faults.kill(before=1, after=2)


def test_only_a_child_or_a_worker_can_be_killed() -> None:
    with pytest.raises(FaultError, match="no 'parent' to kill"):
        faults.kill("parent", after="charge")


def test_what_was_delivered_is_in_no_pool_process_yet() -> None:
    assert faults.freeze("worker", after="delivered").at() == At(effect="delivered")
    with pytest.raises(FaultError, match="no pool process") as caught:
        faults.freeze(after="delivered")
    assert caught.value.attempt == 'kill("worker", after="delivered")'


def test_only_an_effect_has_a_reply_to_lose() -> None:
    with pytest.raises(FaultError, match="no effect"):
        faults.lose_reply("order.save()")


def test_a_message_is_published_before_any_attempt() -> None:
    assert faults.lose_reply("publish", nth=2).in_producer
    assert not faults.lose_reply("redis").in_producer
    with pytest.raises(FaultError, match="before its first attempt"):
        faults.lose_reply("publish", attempt=2)

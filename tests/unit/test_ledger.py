"""The provider's ledger: what it charges, what it remembers, what a crash keeps."""

from __future__ import annotations

import os
from dataclasses import replace
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from atleastonce.shop.gateway.ledger import KeyReusedError, Ledger
from atleastonce.shop.gateway.payment import Payment

if TYPE_CHECKING:
    from pathlib import Path

ANN = Payment("shop", None, "ann", "30.00", "order-1", {"customer": "ann"})
KEYED = replace(ANN, key="k1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "charges.jsonl"


def test_without_a_key_each_payment_is_a_new_charge(path: Path) -> None:
    ledger = Ledger(path)
    made = [ledger.charge(ANN)[0].id for _ in range(3)]
    assert made == ["ch_1", "ch_2", "ch_3"]
    assert [row["id"] for row in ledger.rows()] == made


def test_the_same_key_and_body_find_the_first_charge(path: Path) -> None:
    ledger = Ledger(path)
    first, again = ledger.charge(KEYED)
    assert not again
    assert ledger.charge(KEYED) == (first, True)
    assert len(ledger.rows()) == 1


def test_the_same_key_with_another_body_is_refused(path: Path) -> None:
    ledger = Ledger(path)
    ledger.charge(KEYED)
    with pytest.raises(KeyReusedError):
        ledger.charge(replace(KEYED, body={"customer": "bob"}))
    assert len(ledger.rows()) == 1


def test_bodies_are_compared_as_json_whatever_the_order_of_names(path: Path) -> None:
    ledger = Ledger(path)
    ledger.charge(replace(KEYED, body={"a": 1, "b": 2}))
    assert ledger.charge(replace(KEYED, body={"b": 2, "a": 1}))[1]


def test_two_clients_may_use_one_key(path: Path) -> None:
    ledger = Ledger(path)
    ledger.charge(KEYED)
    ledger.charge(replace(KEYED, client="other", body={"customer": "bob"}))
    assert len(ledger.rows()) == 2


def test_an_empty_key_is_a_key(path: Path) -> None:
    ledger = Ledger(path)
    empty = replace(KEYED, key="")
    ledger.charge(empty)
    assert ledger.charge(empty)[1]


def test_a_new_ledger_on_the_same_file_knows_charges_and_keys(path: Path) -> None:
    before = Ledger(path)
    before.charge(ANN)
    first, _ = before.charge(KEYED)
    after = Ledger(path)
    assert after.rows() == before.rows()
    assert after.charge(KEYED) == (first, True)
    with pytest.raises(KeyReusedError):
        after.charge(replace(KEYED, body={}))
    assert after.charge(ANN)[0].id == "ch_3"


def test_clear_forgets_charges_and_keys_for_good(path: Path) -> None:
    ledger = Ledger(path)
    ledger.charge(KEYED)
    ledger.clear()
    assert ledger.rows() == Ledger(path).rows() == []
    assert ledger.charge(KEYED)[0].id == "ch_1"
    assert Ledger(path).rows() == ledger.rows()


def test_a_full_disk_charges_nothing_and_leaves_the_file_readable(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger(path)
    ledger.charge(ANN)
    whole = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda fd, line: whole(fd, line[:7]))
        with pytest.raises(OSError, match="No space left"):
            ledger.charge(KEYED)
    assert ledger.charge(KEYED)[1] is False
    assert Ledger(path).rows() == ledger.rows()
    assert len(ledger.rows()) == 2


def test_requests_with_one_key_are_served_one_after_the_other(path: Path) -> None:
    ledger = Ledger(path)
    inside: list[str] = []
    with ledger.serving("shop", "k1"):
        others = [Thread(target=_enter, args=(ledger, inside)) for _ in range(3)]
        for thread in others:
            thread.start()
        with ledger.serving("shop", None), ledger.serving("other", "k1"):
            assert inside == []
    for thread in others:
        thread.join(10)
    assert inside == ["in", "out"] * 3


def _enter(ledger: Ledger, inside: list[str]) -> None:
    with ledger.serving("shop", "k1"):
        inside.append("in")
        inside.append("out")

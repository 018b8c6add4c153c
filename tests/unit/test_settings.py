"""What the environment is told."""

from __future__ import annotations

import os

import pytest

from atleastonce.errors import WaitTimeout
from atleastonce.settings import go_direct
from atleastonce.waiting import wait_patiently


def test_a_host_is_added_to_those_that_need_no_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_PROXY", "example.com")
    monkeypatch.delenv("no_proxy", raising=False)
    for _ in range(2):
        go_direct("127.0.0.1")
    assert os.environ["NO_PROXY"] == "example.com,127.0.0.1"
    assert os.environ["no_proxy"] == "127.0.0.1"


def test_patience_makes_a_wait_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATLEASTONCE_PATIENCE", "3")
    with pytest.raises(WaitTimeout, match=r"Waited 0\.03 s for nothing"):
        wait_patiently(bool, timeout=0.01, what="nothing", seen=str)

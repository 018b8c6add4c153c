"""What the environment is told."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atleastonce.settings import go_direct

if TYPE_CHECKING:
    import pytest


def test_a_host_is_added_to_those_that_need_no_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_PROXY", "example.com")
    monkeypatch.delenv("no_proxy", raising=False)
    for _ in range(2):
        go_direct("127.0.0.1")
    assert os.environ["NO_PROXY"] == "example.com,127.0.0.1"
    assert os.environ["no_proxy"] == "127.0.0.1"

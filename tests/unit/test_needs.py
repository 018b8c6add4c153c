"""What a cell needs, and what its absence comes to."""

from __future__ import annotations

import pytest

from atleastonce import needs
from atleastonce.errors import NoService

CELL = {"atleastonce": {"needs": ["rabbitmq"]}}


@pytest.fixture(autouse=True)
def absent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither RabbitMQ nor Docker, and nothing required."""
    monkeypatch.setattr(needs, "program", lambda _need: "")
    monkeypatch.delenv("ATLEASTONCE_REQUIRE", raising=False)


def test_a_cell_without_needs_runs() -> None:
    assert needs.reason({}) == ""
    assert needs.reason({"atleastonce": {"needs": []}}) == ""


def test_a_missing_service_is_a_reason_to_skip() -> None:
    assert "rabbitmq" in needs.reason(CELL)


def test_a_required_service_fails_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATLEASTONCE_REQUIRE", "docker, rabbitmq")
    with pytest.raises(NoService, match="ATLEASTONCE_REQUIRE") as caught:
        needs.reason(CELL)
    assert "apt install rabbitmq-server" in caught.value.attempt


def test_another_requirement_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATLEASTONCE_REQUIRE", "docker")
    assert "rabbitmq" in needs.reason(CELL)


def test_what_is_there_is_no_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "program", lambda _need: "/usr/sbin/rabbitmq-server")
    assert needs.reason(CELL) == ""

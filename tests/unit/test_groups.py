"""The groups of ``pytest -n 2``: a module of live tests stays in one process."""

from __future__ import annotations

import os

import pytest


def test_xdist_knows_the_group_of_a_test(request: pytest.FixtureRequest) -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        pytest.skip("one process has no groups: pytest -n 2 --dist loadgroup")
    assert request.node.nodeid.endswith("@test_groups")

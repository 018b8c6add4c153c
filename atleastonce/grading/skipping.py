"""A pytest plugin for nbval: a cell that needs what is missing is skipped; it says why.

``pyproject.toml`` loads it, so plain ``pytest --nbval notebooks`` does it too. No later
cell depends on such a cell.
"""

from __future__ import annotations

import pytest

from atleastonce.needs import reason


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a notebook's cell if need be.

    Raises:
        NoService: what is missing stands in ``ATLEASTONCE_REQUIRE``.
    """
    cell = getattr(item, "cell", None)
    if cell is not None and (why := reason(cell.metadata)):
        pytest.skip(why)

"""``crash_sweep`` and ``interleave`` as pytest fixtures, for a suite of one's own.

Nothing of the instruments is imported before a fixture is used: every run of pytest
loads this module. The ini file says whose tasks they are::

    [pytest]
    atleastonce_app = myproj.celery:app
    atleastonce_setup = myproj.checks:tables
    atleastonce_env =
        MY_BROKER={redis}

With pytest-xdist each of its processes has services of its own.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from atleastonce.explore.result import Interleavings
    from atleastonce.explore.sweep import Sweep
    from atleastonce.own.client import Client

#: What a test found, for its report.
_FOUND = pytest.StashKey[list[Any]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what an ini file may say."""
    parser.addini("atleastonce_app", "Celery app for crash_sweep and interleave")
    parser.addini("atleastonce_setup", "module:function that makes tables; called once")
    parser.addini("atleastonce_env", "variables: NAME={redis}", type="linelist")
    parser.addini("atleastonce_allow", "host:port, allowed too", type="linelist")


@pytest.fixture(scope="session")
def _atleastonce_client(pytestconfig: pytest.Config) -> Iterator[Client]:
    """The project, with throw-away services, for all tests of this process."""
    from atleastonce.errors import ProjectError  # noqa: PLC0415 - only when it is used
    from atleastonce.own import exports  # noqa: PLC0415 - likewise
    from atleastonce.own.calls import Opening  # noqa: PLC0415 - likewise
    from atleastonce.own.client import Client  # noqa: PLC0415 - likewise

    if not pytestconfig.getini("atleastonce_app"):
        raise ProjectError(
            "The ini file of pytest does not say whose tasks are swept.",
            attempt="atleastonce_app = myproj.celery:app, below [pytest]",
        )
    opening = Opening(
        pytestconfig.getini("atleastonce_app"),
        str(pytestconfig.rootpath),
        tuple(sys.path),
        exports.parsed(pytestconfig.getini("atleastonce_env")),
        tuple(pytestconfig.getini("atleastonce_allow")),
        pytestconfig.getini("atleastonce_setup"),
    )
    with Client(opening) as client:
        yield client


@pytest.fixture
def crash_sweep(
    request: pytest.FixtureRequest, _atleastonce_client: Client
) -> Callable[..., Sweep]:
    """``crash_sweep(task, *args, world=...)``: a fault at every point of a task."""

    def swept(target: Any, *args: object, **options: Any) -> Sweep:  # noqa: ANN401 - as there
        found = _atleastonce_client.crash_sweep(target, *args, **options)
        _remember(request, found)
        return found

    return swept


@pytest.fixture
def interleave(
    request: pytest.FixtureRequest, _atleastonce_client: Client
) -> Callable[..., Interleavings]:
    """``interleave(a, b, world=...)``: every schedule of two copies."""

    def searched(*copies: Any, **options: Any) -> Interleavings:  # noqa: ANN401 - as there
        found = _atleastonce_client.interleave(*copies, **options)
        _remember(request, found)
        return found

    return searched


def _remember(request: pytest.FixtureRequest, found: object) -> None:
    request.node.stash.setdefault(_FOUND, []).append(found)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the tables of a test that failed: pytest cuts what an assert shows."""
    report = yield
    if report.when == "call" and report.failed:
        results: list[Any] = item.stash.get(_FOUND, [])
        report.sections += [("atleastonce", repr(result)) for result in results]
    return report

"""Ten reference tasks, in three shapes, killed at every point: each row is reasoned."""

from __future__ import annotations

import importlib
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from atleastonce import shop, tasks
from atleastonce.explore.bench import Bench
from atleastonce.explore.crash_sweep import crash_sweep
from atleastonce.workers.fleet import Fleet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from atleastonce.explore.sweep import Sweep
    from atleastonce.services.embedded import Embedded

pytestmark = pytest.mark.live
HERE = Path(__file__).with_name("reference_tasks")
SHAPES = ("plain", "short", "away")
slow = partial(pytest.param, marks=pytest.mark.slow)


def _expected() -> Any:  # noqa: ANN401 - a module
    spec = importlib.util.spec_from_file_location("expected", HERE / "expected.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.EXPECTED


EXPECTED = _expected()


class Reference:
    """A lab's services, and the reference tasks in all shapes."""

    def __init__(self, services: Embedded) -> None:
        self.services = services
        shop.setup(services.addresses)
        self._celery = importlib.import_module("atleastonce.shop.celery")
        self._celery.connect(self._celery.app, services.addresses)
        self.fleet = Fleet(
            services.addresses, services.lab_file, services.reaper, services.folder
        )
        self.modules = {
            name: self.load(f"reference_{name}", (HERE / f"{name}.py").read_text())
            for name in ("helpers", *SHAPES)
        }
        self.models = importlib.import_module("atleastonce.shop.models")
        include = tuple(f"reference_{name}" for name in SHAPES)
        place = services.addresses, self.fleet, self.world, include
        self.bench = Bench(*place, switch=self.switch)

    def switch(self, broker: str) -> Bench:
        """Tasks go through *broker* from now on."""
        self.fleet.clear()
        self.services.use(broker)
        self.fleet.follow(self.services.addresses)
        self._celery.connect(self._celery.app, self.services.addresses)
        return replace(self.bench, addresses=self.services.addresses)

    def load(self, name: str, source: str) -> Any:  # noqa: ANN401 - a module
        """A module that workers can import too."""
        app = self._celery.app
        return tasks.load(name, source, folder=self.fleet.tasks, app=app).module

    def start(self) -> None:
        """An order, an account and a message in the outbox."""
        self.services.postgres.rows(
            "TRUNCATE shop_order, shop_account, shop_outbox, shop_chargelog, "
            "shop_credit, shop_webhookevent RESTART IDENTITY CASCADE"
        )
        self.models.Order.objects.create(customer="ann", amount=30)
        self.models.Account.objects.create(name="ann")

    def waiting(self) -> None:
        """The same, with a message in the outbox."""
        self.start()
        self.models.Outbox.objects.create(topic="paid")

    def world(self) -> dict[str, object]:
        """What each of the ten has an effect on."""
        models = self.models
        return {
            "charges": len(self.services.gateway.charges()),
            "paid": models.Order.objects.filter(status="paid").count(),
            "credits": models.Credit.objects.count(),
            "messages": models.Outbox.objects.count(),
        }

    def close(self) -> None:
        self.fleet.close()
        self._celery.drop_connections(self._celery.app)


@pytest.fixture(scope="module")
def reference(shared_embedded: Embedded) -> Iterator[Reference]:
    made = Reference(shared_embedded)
    yield made
    made.close()


@pytest.fixture
def sweep(reference: Reference) -> Callable[..., Sweep]:
    def swept(shape: str, task: str, **how: Any) -> Sweep:  # noqa: ANN401 - of crash_sweep
        target = getattr(reference.modules[shape], task)
        arguments = () if task == "relay" else (1,)
        setup = reference.waiting if task == "relay" else reference.start
        return crash_sweep(target, *arguments, setup=setup, on=reference.bench, **how)

    return swept


def check(found: Sweep, bands: Sequence[tuple[str, str]]) -> None:
    """Every row has the outcome of its band, and every band has rows."""
    assert not found.problems
    wanted, left, seen = [], list(bands), dict[str, int]()
    used = False
    for row in found.rows:
        place = f"{row.point.name or row.point.kind} {row.point.moment}"
        seen[place] = seen.get(place, 0) + 1
        names = {row.point.kind, place if seen[place] == 1 else ""}
        names |= {f"second {place}" if seen[place] == 2 else ""}
        if left[0][1] in names - {""}:
            assert used, f"no row before {left[0][1]}"
            left.pop(0)
        used = True
        wanted.append(left[0][0])
    assert [row.outcome for row in found.rows] == wanted, found
    assert len(left) == 1, f"never met: {left[0][1]}\n{found}"


@pytest.mark.parametrize("task", EXPECTED)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_child_killed_at_each_point_leaves_the_world_that_reasoning_says(
    sweep: Callable[..., Sweep], shape: str, task: str
) -> None:
    check(sweep(shape, task), EXPECTED[task][0])


@pytest.mark.parametrize("task", [t for t, bands in EXPECTED.items() if bands[1]])
@pytest.mark.parametrize("shape", ["plain", *(slow(shape) for shape in SHAPES[1:])])
def test_a_worker_killed_at_each_point_leaves_the_world_that_reasoning_says(
    sweep: Callable[..., Sweep], shape: str, task: str
) -> None:
    check(sweep(shape, task, kill="worker"), EXPECTED[task][1])


#: The reasons in ``expected.py`` hold for RabbitMQ, though it is told otherwise of a
#: death. A killed child: its worker lives, and acks the message, or rejects it with
#: requeue, over its own connection. A killed worker: the kernel closes its connection,
#: and RabbitMQ puts back what was not acked, where on Redis a timeout must end.
#: ``naive``: nothing tells the second attempt of the first. ``set_nx``: the key tells
#: it too much. ``early``: acked before it ran, so RabbitMQ has nothing to put back.
THROUGH_RABBITMQ = ["naive", "set_nx", "early"]


@pytest.mark.usefixtures("needs_rabbitmq")
@pytest.mark.parametrize("task", THROUGH_RABBITMQ)
@pytest.mark.parametrize("kill", ["child", "worker"])
def test_what_reasoning_says_comes_true_through_rabbitmq_too(
    sweep: Callable[..., Sweep], task: str, kill: str
) -> None:
    found = sweep("plain", task, kill=kill, broker="rabbitmq")
    check(found, EXPECTED[task][kill == "worker"])

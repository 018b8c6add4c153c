"""Owners of labs that a test may kill, and a bench for workers and faults."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from atleastonce import shop, tasks
from atleastonce.timeline import Timeline
from atleastonce.workers.arming import Armed
from atleastonce.workers.fleet import Fleet
from atleastonce.workers.producer import Producer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from atleastonce.events import Event
    from atleastonce.faults import Fault
    from atleastonce.services.embedded import Embedded
    from atleastonce.workers.worker import Worker

#: Opens a lab, says so, and waits for its own end.
OPEN = """
import json, signal, sys
from atleastonce.services.embedded import Embedded
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # Below nohup it is ignored.
with Embedded("owned") as e:
    print(json.dumps([str(e.folder), e.reaper.pid]), flush=True)
    {body}
    signal.pause()
"""


class Owner:
    """A process of its own session that opens a lab and then runs *body*."""

    def __init__(self, body: str = "", **options: Any) -> None:  # noqa: ANN401 - Popen's
        self.process = subprocess.Popen(
            [sys.executable, "-c", OPEN.format(body=body)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **options,
        )
        self.folder, self.reaper = "", 0

    def opened(self) -> Owner:
        """Wait until its lab is open."""
        assert self.process.stdout
        assert self.process.stderr
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        self.folder, self.reaper = json.loads(line)
        return self

    def signal(self, number: int) -> None:
        """To its process group, as a terminal does."""
        os.killpg(self.process.pid, number)

    def end(self) -> tuple[int, str]:
        """Wait for its end: exit status and what it said on stderr."""
        _, said = self.process.communicate(timeout=60)
        return self.process.returncode, said


@pytest.fixture
def owner() -> Iterator[Callable[..., Owner]]:
    """Makes owners; those that still live at the test's end are killed."""
    with ExitStack() as stack:

        def make(body: str = "", **options: Any) -> Owner:  # noqa: ANN401 - Popen's
            made = Owner(body, **options)
            stack.callback(made.process.communicate)
            stack.callback(made.process.kill)
            return made

        yield make


@pytest.fixture
def own_home(labs_root: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """An empty home of templates and binaries, of this test only."""
    home = labs_root / f"home-{request.node.name[:40]}"
    yield home
    shutil.rmtree(home, ignore_errors=True)


#: The tasks that workers and faults are tested with; line numbers matter.
TASKS = """\
import threading
import redis
from django.core.mail import send_mail
from django.db import transaction
from atleastonce.settings import Settings
from atleastonce.shop import payments
from atleastonce.shop.models import Order

@app.task(acks_late=True, reject_on_worker_lost=True)
def charge_order(order_id):
    order = Order.objects.get(pk=order_id)
    payments.charge(order.customer, order.amount)
    order.status = "paid"
    order.save()

@app.task
def early(order_id):
    charge_order.run(order_id)

@app.task(acks_late=True)
def kept(order_id):
    charge_order.run(order_id)

@app.task(acks_late=True, reject_on_worker_lost=True)
def three_charges():
    for amount in range(1, 4):
        payments.charge("ann", amount)

@app.task(acks_late=True, reject_on_worker_lost=True)
def pay(order_id):
    with transaction.atomic():
        Order.objects.filter(pk=order_id).update(status="paid")

@app.task(acks_late=True, reject_on_worker_lost=True)
def write_to(address):
    send_mail("Hello", "text", None, [address])

@app.task(acks_late=True, reject_on_worker_lost=True)
def count_up(by_url):
    cache(by_url).incr("count")

@app.task(acks_late=True, reject_on_worker_lost=True)
def in_a_thread(order_id):
    thread = threading.Thread(target=charge_order.run, args=(order_id,))
    thread.start()
    thread.join()

@app.task(acks_late=True, reject_on_worker_lost=True)
def summed():
    numbers = [number for number in range(3)]
    for number in numbers:
        number += 1
    return sum(n for n in numbers)

@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def again(self):
    payments.charge("ann", 1)
    if self.request.retries == 0:
        raise self.retry(countdown=0)

@app.task(acks_late=True, reject_on_worker_lost=True)
def nested(order_id):
    charge_order.apply((order_id,))
    payments.charge("bob", 2)

def cache(by_url):
    where = Settings.from_env().addresses()
    if by_url:
        return redis.Redis.from_url(where.redis_url(2))
    return redis.Redis(port=where.redis_port, db=2, password=where.redis_password)

@app.task
def storm():
    storm.delay()
"""


class Bench:
    """One lab's services with a fleet, and the tasks above.

    Attributes:
        app: the shop's Celery app.
        fleet: its workers.
        services: the lab's services.
    """

    def __init__(self, services: Embedded, fleet: Fleet) -> None:
        self.services, self.fleet = services, fleet
        shop.setup(services.addresses)
        self._celery = importlib.import_module("atleastonce.shop.celery")
        self.app = self._celery.app
        self._celery.connect(self.app, services.addresses)
        # Tasks that other tests have left in the app are not ours to strike.
        names = [n for n in self.app.tasks if not n.startswith("celery.")]
        self._others = {name: self.app.tasks.pop(name) for name in names}
        self.module = tasks.load("bench", TASKS, folder=fleet.tasks, app=self.app)
        self.producer = Producer(services.events)
        self._since = 0

    def start(self, count: int = 1, **how: Any) -> list[Worker]:  # noqa: ANN401 - of start
        return self.fleet.start(count, include=["bench"], **how)

    def publish(self, task: str, *args: object) -> str:
        """Publish the task; returns its id."""
        return str(getattr(self.module.module, task).delay(*args).id)

    def armed(self, *faults: Fault) -> Armed:
        return Armed(self.app, self.services.addresses, *faults)

    def strike(self, fault: Fault, task: str, *args: object, **how: Any) -> Armed:  # noqa: ANN401 - of quiet
        """Publish the task while *fault* is armed, and wait until all is quiet."""
        with self.armed(fault) as armed:
            self.publish(task, *args)
        self.fleet.quiet(30.0, **how)
        armed.require()
        return armed

    def order(self, customer: str = "ann") -> int:
        """A new order; returns its number."""
        models = importlib.import_module("atleastonce.shop.models")
        return int(models.Order.objects.create(customer=customer, amount=30).pk)

    def state(self, message: str) -> str:
        return str(self.app.backend.get_state(message))

    @property
    def charges(self) -> int:
        return len(self.services.gateway.charges())

    def events(self) -> list[Event]:
        """What was recorded since the test began."""
        self.fleet.pump()
        return self.services.events.read(self._since)[0]

    def story(self) -> str:
        """The timeline since the test began, each line without its margin."""
        lines = str(Timeline(self.events())).splitlines()
        return "\n".join(" ".join(line.split()) for line in lines)

    def clear(self) -> None:
        """End all workers and empty what they left."""
        self.fleet.clear()
        self.services.redis.client().flushall()
        self.services.gateway.clear()
        self.services.mail.clear()
        self._since = self.services.events.read()[1]

    def close(self) -> None:
        self.producer.close()
        self.fleet.close()
        tasks.unload(self.module, self.app)
        self.app.tasks.update(self._others)
        self._celery.drop_connections(self.app)


@pytest.fixture(scope="module")
def shared_bench(shared_embedded: Embedded) -> Iterator[Bench]:
    lab = shared_embedded
    bench = Bench(lab, Fleet(lab.addresses, lab.lab_file, lab.reaper, lab.folder))
    yield bench
    bench.close()


@pytest.fixture
def bench(shared_bench: Bench) -> Bench:
    """The module's bench, with no worker, and nothing in broker, ledger and mailbox."""
    shared_bench.clear()
    return shared_bench

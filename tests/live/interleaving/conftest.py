"""The bench of the interleaving search: a lab, its fork server, targets, a world."""

from __future__ import annotations

import importlib
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from atleastonce import shop
from atleastonce.explore import bench
from atleastonce.explore.interleave import interleave
from atleastonce.workers.fleet import Fleet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atleastonce.explore.result import Interleavings
    from atleastonce.services.embedded import Embedded


class Races:
    """The targets, and a world of two accounts, mails and a counter."""

    def __init__(self, lab: Embedded) -> None:
        self.lab = lab
        self.targets: Any = importlib.import_module("race_targets")
        self.models: Any = importlib.import_module("atleastonce.shop.models")

    def setup(self) -> None:
        """Two accounts, 1 and 2, of 100 each; nothing else."""
        tables = "shop_account, shop_maillog, shop_order, shop_chargelog"
        self.lab.postgres.rows(f"TRUNCATE {tables} RESTART IDENTITY CASCADE")
        for name in ("ann", "bob"):
            self.models.Account.objects.create(name=name, balance=100)
        self.models.Order.objects.create(customer="ann", amount=30)
        self.lab.redis.client(2).flushdb()

    def world(self) -> dict[str, int]:
        rows = self.models.Account.objects.order_by("name")
        found = {row.name: int(row.balance) for row in rows}
        found["mails"] = self.models.MailLog.objects.count()
        found["charges"] = self.models.ChargeLog.objects.count()
        found["hits"] = int(str(self.lab.redis.client(2).get("hits") or 0))
        return found

    def search(
        self,
        name: str,
        *calls: tuple[object, ...],
        **how: Any,  # noqa: ANN401 - of interleave
    ) -> Interleavings:
        """Search copies of one target, called with each of *calls*."""
        target = getattr(self.targets, name)
        copies = [(target, *args) for args in calls]
        return interleave(*copies, setup=self.setup, world=self.world, **how)


@pytest.fixture(scope="module")
def races(shared_embedded: Embedded) -> Iterator[Races]:
    lab = shared_embedded
    shop.setup(lab.addresses)
    here = str(Path(__file__).parent)
    sys.path.insert(0, here)
    fleet = Fleet(lab.addresses, lab.lab_file, lab.reaper, lab.folder)
    bench.use(bench.Bench(lab.addresses, fleet))
    with closing(fleet):
        yield Races(lab)
    bench.use(None)
    importlib.import_module("django.db").connections.close_all()
    sys.path.remove(here)

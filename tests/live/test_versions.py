"""Two versions of one task: cells that share a name, and workers that know one each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from atleastonce.lab import Lab

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.live

OLD = """
@app.task(name="shop.price")
def price(amount):
    return f"old {amount}"
"""
NEW = """
@app.task(name="shop.price")
def price(amount, currency):
    return f"new {amount} {currency}"
"""
BROKEN = NEW + "undefined_name\n"


@pytest.fixture(scope="module")
def opened() -> Iterator[Lab]:
    with Lab("versions") as lab:
        yield lab


@pytest.fixture
def lab(opened: Lab) -> Lab:
    opened.reset()
    opened.load_tasks("price_1", OLD)
    opened.load_tasks("price_2", NEW)
    return opened


def task(lab: Lab, module: str) -> Any:  # noqa: ANN401 - a Celery task
    return vars(lab.modules[module].module)["price"]


def test_two_cells_may_define_a_task_of_one_name(lab: Lab) -> None:
    assert task(lab, "price_1").run(1) == "old 1"
    assert task(lab, "price_2").run(1, "EUR") == "new 1 EUR"
    assert lab.app.tasks["shop.price"].__module__ == "price_2"


def test_each_worker_has_the_tasks_of_its_version(lab: Lab) -> None:
    for module, want in (("price_1", "old 1"), ("price_2", "new 1 EUR")):
        lab.reset()
        lab.worker(tasks=[module])
        args = (1,) if module == "price_1" else (1, "EUR")
        assert task(lab, module).delay(*args).get(timeout=10) == want


def test_each_version_s_sender_checks_its_own_signature(lab: Lab) -> None:
    with pytest.raises(TypeError):
        task(lab, "price_2").delay(1)
    task(lab, "price_1").delay(1)
    assert lab.world()["queue"] == 1


def test_a_worker_is_replaced_by_one_of_its_version(lab: Lab) -> None:
    lab.worker(tasks=["price_1"])
    lab.load_tasks("price_2", NEW.replace("new", "newer"))
    assert task(lab, "price_1").delay(1).get(timeout=10) == "old 1"


def test_a_cell_that_raises_leaves_the_other_version_registered(lab: Lab) -> None:
    with pytest.raises(NameError):
        lab.load_tasks("price_3", BROKEN)
    assert lab.app.tasks["shop.price"].__module__ == "price_2"


def test_a_cell_that_is_loaded_again_takes_its_name_back(lab: Lab) -> None:
    lab.load_tasks("price_1", OLD.replace("old", "older"))
    assert lab.app.tasks["shop.price"].__module__ == "price_1"
    assert task(lab, "price_2").run(1, "EUR") == "new 1 EUR"

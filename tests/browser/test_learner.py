"""A learner's way through lab 1: write an answer, see the verdict, save, grade."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from atleastonce import course

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.browser

KEY = 'key=f"order-{order.pk}"'
ANSWER = f"""\
%%tasks billing
from atleastonce.shop import payments
from atleastonce.shop.models import Order


@app.task(acks_late=True, reject_on_worker_lost=True)
def charge_order(order_id: int) -> None:
    order = Order.objects.get(pk=order_id)
    payments.charge(order.customer, order.amount, {KEY})
    Order.objects.filter(pk=order_id).update(status="paid")
"""


@pytest.fixture
def lab() -> Iterator[Path]:
    """A copy of lab 1 where JupyterLab serves it and git does not look."""
    folder = course.folder() / "build" / "learner"
    folder.mkdir(parents=True, exist_ok=True)
    yield Path(shutil.copy(course.find("01", "labs"), folder))
    shutil.rmtree(folder)


def graded(path: Path) -> dict[str, Any]:
    """The report on exercise 1, as ``atleastonce grade`` prints it."""
    argv = [sys.executable, "-m", "atleastonce", "grade", str(path)]
    done = subprocess.run(
        [*argv, "--exercise", "1", "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {0, 1}, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)["reports"][0]
    return report


def test_an_answer_is_written_judged_saved_and_graded(
    lab: Path, opened: Callable[[Path], Any]
) -> None:
    assert KEY not in lab.read_text()
    sheet = opened(lab)
    sheet.write("ex1-answer", ANSWER)
    shown = {cell["id"]: cell["shown"] for cell in sheet.run_all()}
    sheet.save()
    sheet.picture()
    assert "✓ pass" in shown["ex1-crash-anywhere"]
    assert "not attempted" in shown["ex2-crash-anywhere"]
    saved = json.loads(lab.read_text())["cells"]
    assert ANSWER in ["".join(cell["source"]) for cell in saved]
    report = graded(lab)
    assert {row["verdict"] for row in report["rows"] if row["exercise"] == 1} == {
        "pass"
    }
    assert report["points"] == sum(
        r["most"] for r in report["rows"] if r["exercise"] == 1
    )

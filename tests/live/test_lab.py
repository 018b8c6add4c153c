"""A lab in a real kernel: ``%%tasks`` cells that fail, restarts, sudden ends."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jupyter_client.manager import start_new_kernel

from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

OPEN = 'from atleastonce import Lab, kill\nlab = Lab("01_duplicates")\nlab'
PRICE = """%%tasks billing
@app.task
def price(n):
    return n * 10
"""
ASK = "lab.worker()\nprint(billing.price.delay(4).get(timeout=10))"
ASK_AGAIN = "print(billing.price.delay(4).get(timeout=10))"


class Notebook:
    """A kernel of its own that runs cells, as JupyterLab does."""

    def __init__(self) -> None:
        self.manager, self.client = start_new_kernel()

    def run(self, source: str) -> str:
        """Everything that the cell printed, displayed or raised, as plain text."""
        said: list[str] = []
        self.client.execute_interactive(
            source,
            timeout=60,
            output_hook=lambda m: said.append(_text(m)),
            stdin_hook=None,
        )
        return "".join(said)

    def interrupt_when(self, source: str, started: Path) -> str:
        """Run a cell, and interrupt it once it has made the file *started*."""
        said: list[str] = []
        told = self.client.execute(source)
        wait_until(started.exists, timeout=30, what="the cell to start")
        self.manager.interrupt_kernel()
        while True:
            message = self.client.get_iopub_msg(timeout=30)
            if message["parent_header"].get("msg_id") != told:
                continue
            said.append(_text(message))
            if message["content"].get("execution_state") == "idle":
                return "".join(said)

    def end(self) -> None:
        """SIGKILL, as nbval does."""
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def _text(message: Any) -> str:  # noqa: ANN401 - a kernel's message
    content = message["content"]
    lines = [content.get("text", ""), content.get("data", {}).get("text/plain", "")]
    raised = "\n".join(content.get("traceback", []))
    return re.sub(r"\x1b\[[0-9;]*m", "", "".join(lines) + raised)


@pytest.fixture
def notebook() -> Iterator[Notebook]:
    notebook = Notebook()
    try:
        yield notebook
    finally:
        notebook.end()


def test_a_syntax_error_is_shown_on_its_line_and_the_old_tasks_go_on(
    notebook: Notebook,
) -> None:
    notebook.run(OPEN)
    notebook.run(PRICE)
    assert "40" in notebook.run(ASK)

    said = notebook.run(PRICE.replace("price(n):", "price(n)"))

    assert "SyntaxError" in said
    assert "billing.py:3" in said
    assert "40" in notebook.run(ASK_AGAIN)


def test_an_error_at_import_leaves_the_old_tasks(notebook: Notebook) -> None:
    notebook.run(OPEN)
    notebook.run(PRICE)
    assert "40" in notebook.run(ASK)

    said = notebook.run(PRICE.replace("10", "99") + "\nundefined_name\n")

    assert "NameError" in said
    assert "undefined_name" in said
    assert "40" in notebook.run(ASK_AGAIN)


def test_an_edit_of_equal_length_takes_effect_at_once(notebook: Notebook) -> None:
    notebook.run(OPEN)
    notebook.run(PRICE)
    assert "40" in notebook.run(ASK)

    notebook.run(PRICE.replace("10", "99"))

    assert "396" in notebook.run(ASK_AGAIN)


def test_an_interrupted_tasks_cell_leaves_the_old_tasks(
    notebook: Notebook, tmp_path: Path
) -> None:
    notebook.run(OPEN)
    notebook.run(PRICE)
    assert "40" in notebook.run(ASK)
    started = tmp_path / "started"
    slow = f"open({str(started)!r}, 'w')\nimport signal\nsignal.pause()\n"

    said = notebook.interrupt_when(PRICE.replace("10", "99") + slow, started)

    assert "KeyboardInterrupt" in said
    assert "40" in notebook.run(ASK_AGAIN)


def test_a_name_that_is_importable_already_is_refused(notebook: Notebook) -> None:
    notebook.run(OPEN)

    said = notebook.run(PRICE.replace("billing", "requests"))

    assert "%%tasks requests: a module of that name is already importable" in said
    assert "Try: %%tasks my_requests" in said


def test_tasks_without_a_lab_say_how_to_open_one(notebook: Notebook) -> None:
    said = notebook.run("import atleastonce") + notebook.run(PRICE)

    assert "%%tasks needs an open lab" in said
    assert 'Try: lab = Lab("01_duplicates")' in said


def test_opening_the_lab_again_closes_the_first_and_starts_empty(
    notebook: Notebook,
) -> None:
    notebook.run(OPEN)
    notebook.run("first, folder = lab, lab.services.folder")

    assert "01_duplicates, open" in notebook.run(OPEN)

    assert "False" in notebook.run("print(folder.exists())")
    assert "closed" in notebook.run("first")
    notebook.run(PRICE)
    assert "40" in notebook.run(ASK)


def test_a_killed_kernel_leaves_nothing_and_the_lab_opens_again_at_once(
    notebook: Notebook,
) -> None:
    notebook.run(OPEN)
    notebook.run(PRICE)
    notebook.run(ASK)
    folder = Path(notebook.run("print(lab.services.folder)").strip())

    notebook.end()
    again = Notebook()
    try:
        assert "01_duplicates, open" in again.run(OPEN)
    finally:
        again.end()

    wait_until(lambda: not folder.exists(), timeout=2.0, what="the lab's folder to go")


def test_after_a_restart_of_the_kernel_the_lab_opens_and_the_old_one_is_gone(
    notebook: Notebook,
) -> None:
    notebook.run(OPEN)
    notebook.run(PRICE)
    notebook.run(ASK)
    folder = Path(notebook.run("print(lab.services.folder)").strip())

    notebook.manager.restart_kernel(now=True)
    notebook.client.wait_for_ready(timeout=30)

    assert "01_duplicates, open" in notebook.run(OPEN)
    wait_until(lambda: not folder.exists(), timeout=2.0, what="the old folder to go")
    notebook.run(PRICE)
    assert "40" in notebook.run(ASK)


def test_a_fault_that_can_not_strike_is_an_error_and_not_a_result(
    notebook: Notebook,
) -> None:
    notebook.run(OPEN)
    notebook.run(PRICE)
    notebook.run("lab.worker()")

    said = notebook.run(
        'with lab.strike(kill(after="charge")):\n    billing.price.delay(1)'
    )

    assert "Never struck: killed after charge." in said

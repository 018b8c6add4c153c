"""Run a lesson and its lab's solution many times: ``python -m atleastonce.soak 01``.

A notebook is believed when strict nbval finds no difference in N runs, every second
one of them with all cores kept busy. The first difference ends the soak.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from atleastonce import course
from atleastonce.cli import nbval
from atleastonce.cli.base import err, explained, out

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Burns one core until its stdin closes, so that it can't outlive us, however we end.
BURNER = """
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0))).start()
while True:
    pass
"""


@contextmanager
def busy_cores() -> Iterator[None]:
    """Keep every core busy, as long as the block runs."""
    argv = [sys.executable, "-I", "-S", "-c", BURNER]
    cores = os.cpu_count() or 1
    burners = [subprocess.Popen(argv, stdin=subprocess.PIPE) for _ in range(cores)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.communicate()


def once(notebooks: list[Path]) -> str:
    """Run *notebooks* under strict nbval; the report if they differ, else ""."""
    done = subprocess.run(
        nbval.command(notebooks, "-q", "--no-header", "-x"),
        cwd=course.folder(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout if done.returncode else ""


def main(
    lesson: Annotated[str, typer.Argument(help="01, or a stem.")],
    runs: Annotated[int, typer.Option(min=1, help="How many times.")] = 20,
) -> None:
    """Run it, and the solution of its lab, RUNS times; stop at the first difference."""
    notebooks = nbval.chosen([lesson])
    for run in range(1, runs + 1):
        started = time.monotonic()
        if run % 2:
            load, report = "idle", once(notebooks)
        else:
            with busy_cores():
                load, report = "busy", once(notebooks)
        took = f"{time.monotonic() - started:.1f} s"
        if report:
            err.print(report, markup=False, soft_wrap=True)
            out.print(f"run {run} of {runs}, cores {load}: differs after {took}")
            out.print(f"{run - 1} of {runs}")
            raise typer.Exit(1)
        out.print(f"run {run} of {runs}, cores {load}: equal, {took}")
    out.print(f"{runs} of {runs}")


if __name__ == "__main__":
    with explained():
        typer.run(main)

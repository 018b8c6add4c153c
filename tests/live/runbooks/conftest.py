"""Somebody who was paged: reads a runbook, and runs its commands as they are printed.

Below a command stands what it prints, in a comment:

- ``trouble:`` and ``healthy:`` in the two states; ``both:`` where it tells nothing;
- ``prints:`` once, of a command that acts; ``until:`` it is repeated until it does.

In it ``…`` is any text, ``>5`` a number above 5, ``nothing`` no output. Lines are
joined by `` | ``, and runs of spaces are one space.
"""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from atleastonce.lab import Lab
from atleastonce.services.binaries import find_postgres
from atleastonce.services.process import child_env
from atleastonce.settings import Settings
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAGES = Path(__file__).parents[3] / "docs" / "runbooks"
FENCED = re.compile(r"^```(sh|sql)\n(.*?)^```", re.MULTILINE | re.DOTALL)
TOLD = re.compile(r"^(?:#|--) (trouble|healthy|both|prints|until): (.+)$", re.MULTILINE)
BOUND = re.compile(r"([<>])(\d+)")
NOT_RUN = re.compile(r"^(?:#|--) not run by the test: .+", re.MULTILINE)
SECTIONS = ("Confirm", "Stop the bleeding", "Mend")
#: Seconds for one command: ``celery`` takes 2 alone, and more on busy cores.
PATIENCE = 120.0
#: Seconds for what a page says to wait for.
WAIT = 60.0


@dataclass(frozen=True)
class Block:
    """One fenced block of commands."""

    page: str
    section: str
    language: str
    text: str

    @property
    def told(self) -> dict[str, str]:
        """What the page says that it prints, by the comment's first word."""
        return dict(TOLD.findall(self.text))

    @property
    def runs(self) -> bool:
        """False if the page gives a reason why no test runs it."""
        return not NOT_RUN.search(self.text)


class Page:
    """One runbook."""

    def __init__(self, path: Path) -> None:
        self.path, self.text = path, path.read_text()
        self.blocks = list(self._blocks())

    def _blocks(self) -> Iterator[Block]:
        for part in re.split(r"^## ", self.text, flags=re.MULTILINE)[1:]:
            section = part.partition("\n")[0]
            for language, text in FENCED.findall(part):
                yield Block(self.path.stem, section, language, text)


def says(told: str, printed: str) -> bool:
    """True if *printed* is what the page tells."""
    if told == "nothing":
        return not printed
    pattern = "".join(map(_pattern, re.split(r"(…|[<>]\d+)", told)))
    found = re.fullmatch(pattern, printed)
    pairs = zip(BOUND.findall(told), found.groups(), strict=True) if found else ()
    return bool(found) and all(
        int(number) > int(bound) if sign == ">" else int(number) < int(bound)
        for (sign, bound), number in pairs
    )


def _pattern(part: str) -> str:
    if part == "…":
        return ".*"
    return r"(\d+)" if BOUND.fullmatch(part) else re.escape(part)


class Operator:
    """Runs a page's blocks in a shell and in psql; *env* has its placeholders."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self.env = environment(lab, folder)
        self._folder, self._left = folder, set[Block]()

    def opens(self, name: str, *, rabbitmq: bool = False) -> None:
        """Read a page: its blocks for RabbitMQ, or all others."""
        blocks = [block for block in Page(PAGES / f"{name}.md").blocks if block.runs]
        self._blocks = [b for b in blocks if ("rabbitmq" in b.text) == rabbitmq]
        self._left = set(self._blocks)

    def sees(self, state: str) -> None:
        """Run what confirms; it prints what the page says of this state only."""
        other = {"trouble": "healthy", "healthy": "trouble"}[state]
        blocks = [block for block in self._blocks if block.section == "Confirm"]
        with ThreadPoolExecutor(2) as two:
            printed = dict(zip(blocks, two.map(self._run, blocks), strict=True))
        for block, (line, seen) in printed.items():
            expected = block.told.get("both") or block.told[state]
            assert says(expected, line), f"{state}:\n{block.text}printed: {seen}"
            if "both" not in block.told:
                assert not says(block.told[other], line), f"{state}:\n{block.text}"

    def acts(self, section: str) -> None:
        """Run one section, step by step."""
        for block in self._blocks:
            if block.section == section:
                self._act(block)

    def _act(self, block: Block) -> None:
        ((verb, told),) = block.told.items()
        if verb == "prints":
            line, seen = self._run(block)
            assert says(told, line), f"{block.text}printed: {seen}"
            return
        wait_until(
            lambda: says(told, self._run(block)[0]),
            timeout=WAIT,
            what=f"{block.page} to say {told}: {block.text}",
            seen=lambda: self._run(block)[1],
            interval=0.2,
        )

    def is_done(self) -> None:
        """Nothing on the page was left out."""
        assert not self._left, [block.text for block in self._left]

    def _run(self, block: Block) -> tuple[str, str]:
        """What it prints, in one line; and all it said."""
        psql = ["psql", self.env["DATABASE_URL"], "-XAt"]
        ran = subprocess.run(
            psql if block.language == "sql" else ["sh", "-c", block.text],
            input=block.text if block.language == "sql" else "",
            capture_output=True,
            text=True,
            env=self.env,
            cwd=self._folder,
            timeout=PATIENCE,
            check=False,
        )
        self._left.discard(block)
        lines = [" ".join(line.split()) for line in ran.stdout.splitlines()]
        return " | ".join(filter(None, lines)), f"{ran.stdout}{ran.stderr}"


def environment(lab: Lab, folder: Path) -> dict[str, str]:
    """What docs/runbooks/README.md tells to export, for this lab."""
    at = lab.services.addresses
    redis = f"redis://{at.redis_host}:{at.redis_port}"
    postgres = f"{at.postgres_user}@{at.postgres_host}:{at.postgres_port}"
    return child_env(
        APP="atleastonce.shop.celery",
        REDIS_URL=f"{redis}/0",
        RESULT_URL=f"{redis}/1",
        CACHE_URL=f"{redis}/2",
        REDISCLI_AUTH=at.redis_password,
        DATABASE_URL=f"postgresql://{postgres}/{at.postgres_db}",
        PGPASSWORD=at.postgres_password,
        ATLEASTONCE_LAB_FILE=lab.services.lab_file,
        PATH=":".join(map(str, commands(folder))),
        LC_ALL="C.UTF-8",
    )


def commands(folder: Path) -> Iterator[Path | str]:
    """Where the pages' commands are: this environment's, the machine's, and ours."""
    yield Path(sys.executable).parent
    yield child_env()["PATH"]
    yield find_postgres(Settings.from_env()).path.parent
    if not shutil.which("redis-cli"):
        stand_in = folder / "redis-cli"
        script = Path(__file__).with_name("redis_cli.py")
        stand_in.write_text(f'#!/bin/sh\nexec "{sys.executable}" -IS "{script}" "$@"\n')
        stand_in.chmod(0o755)
        yield folder


@pytest.fixture(scope="module")
def shared_lab() -> Iterator[Lab]:
    with Lab("runbooks") as lab:
        yield lab


@pytest.fixture
def lab(shared_lab: Lab) -> Lab:
    """The module's lab, with no worker, no task and nothing in it."""
    begin_anew(shared_lab)
    # Pages call their tasks alike; a worker imports all modules that there are.
    shared_lab._forget_tasks()
    shared_lab.modules.clear()
    return shared_lab


def begin_anew(lab: Lab) -> None:
    """No worker, no orders, and a provider that is well."""
    lab.gateway.knobs()
    lab.reset()


@pytest.fixture
def anew(lab: Lab) -> Callable[[], None]:
    """Empties the lab between two states."""
    return lambda: begin_anew(lab)


@pytest.fixture
def orders(lab: Lab) -> Callable[[int], None]:
    """Makes so many orders, each of 30 euros, that are not paid."""
    models = importlib.import_module("atleastonce.shop.models")  # needs Django

    def make(count: int) -> None:
        for _ in range(count):
            models.Order.objects.create(customer="ann", amount="30.00")

    assert lab
    return make


@pytest.fixture(scope="session")
def pages() -> list[Page]:
    """All runbooks."""
    return [Page(path) for path in sorted(PAGES.glob("[0-9]*.md"))]


@pytest.fixture
def operator(lab: Lab, tmp_path: Path) -> Operator:
    """Somebody on call for that lab."""
    return Operator(lab, tmp_path)

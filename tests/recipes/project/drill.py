"""Real processes, struck at a line: what the recipes without Celery are tested with.

A point is a line that a process reaches, in the files of the recipe and of who uses it:
all that the world can notice happens between two of them.
``multiprocessing`` forks the processes from one that has imported the libraries.
"""

from __future__ import annotations

import asyncio
import importlib
import linecache
import logging
import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import redis
from redis.asyncio import Redis
from rq import Worker

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType

    from rq import Queue
    from rq.job import Job


@dataclass
class Strike:
    """What happens to a process at the *at*-th point that it reaches; once.

    Attributes:
        folder: where the points are noted, and who was struck.
        files: whose lines are points.
        at: the number of the point; -1: nothing happens.
        signal: what the process sends to itself.
        parent: its parent is killed too, first.
        count: how many points this process has reached.
    """

    folder: Path
    files: frozenset[str]
    at: int = -1
    signal: signal.Signals = signal.SIGKILL
    parent: bool = False
    count: int = 0

    def start(self) -> None:
        """Watch this thread from now on."""
        sys.settrace(self._called)

    def _called(self, frame: FrameType, _event: str, _arg: object) -> object:
        name = frame.f_code.co_filename.rpartition("/")[2]
        return self._line if name in self.files else None

    def _line(self, frame: FrameType, event: str, _arg: object) -> object:
        if event == "line":
            name, number = frame.f_code.co_filename, frame.f_lineno
            text = linecache.getline(name, number).strip()
            where = f"{name.rpartition('/')[2]}:{number}"
            self.reach(f"{where} {frame.f_code.co_name}: {text}")
        return self._line

    def reach(self, point: str) -> None:
        """Note a point, and strike if it is the one."""
        with (self.folder / "points").open("a") as notes:
            notes.write(f"{point}\n")
        self.count += 1
        if self.count - 1 == self.at:
            with suppress(FileExistsError), (self.folder / "struck").open("x") as file:
                file.write(str(os.getpid()))
                file.flush()
                self._send()

    def _send(self) -> None:
        if self.parent:
            os.kill(os.getppid(), signal.SIGKILL)
        os.kill(os.getpid(), self.signal)


def tables(env: dict[str, str]) -> None:
    """Make the tables of the project."""
    os.environ.update(env)
    importlib.import_module("checks").tables()


class Horses(Worker):
    """RQ's own worker, whose job processes are watched."""

    strike: Strike

    def main_work_horse(self, job: Job, queue: Queue) -> None:
        """What RQ calls in the process that it forks for a job."""
        self.strike.start()
        super().main_work_horse(job, queue)

    def handle_job_success(self, *args: object, **kwargs: object) -> None:
        """What it calls there when the job has returned."""
        self.strike.reach("returned, result not stored")
        super().handle_job_success(*args, **kwargs)
        self.strike.reach("result stored")


def work(env: dict[str, str], recipe: str, strike: Strike) -> None:
    """An RQ worker, until its queue is empty."""
    os.environ.update(env)
    logging.disable()
    connection = redis.Redis.from_url(env["REDIS_URL"])
    queue = importlib.import_module(recipe).queue(connection)
    worker = Horses([queue], connection=connection, serializer=queue.serializer)
    worker.strike = strike
    worker.work(burst=True)


def consume(env: dict[str, str], recipe: str, strike: Strike) -> None:
    """A consumer, until nothing is left of its stream."""
    asyncio.run(_consume(env, recipe, strike))


async def _consume(env: dict[str, str], recipe: str, strike: Strike) -> None:
    os.environ.update(env)
    logging.disable()
    jobs = importlib.import_module(f"jobs_{recipe}")
    async with Redis.from_url(env["REDIS_URL"], decode_responses=True) as link:
        consumer = jobs.consumer(link, f"c{os.getpid()}", most=3)
        await consumer.prepare()
        strike.start()
        while await consumer.step(wait=0.0):
            pass
        sys.settrace(None)


def serve(env: dict[str, str], recipe: str) -> None:
    """A consumer that runs until it is told to stop."""
    asyncio.run(_serve(env, recipe))


async def _serve(env: dict[str, str], recipe: str) -> None:
    os.environ.update(env)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    jobs = importlib.import_module(f"jobs_{recipe}")
    async with Redis.from_url(env["REDIS_URL"], decode_responses=True) as link:
        await jobs.consumer(link, "served", most=3).run(stop, wait=0.05)


def call(env: dict[str, str], module: str, name: str, strike: Strike) -> None:
    """Call a function of a module that uses the recipe."""
    os.environ.update(env)
    function = getattr(importlib.import_module(module), name)
    strike.start()
    function()
    strike.reach("returned")
    sys.settrace(None)


def hold(env: dict[str, str], user: str, body: str, strike: Strike) -> None:
    """Write the report, under the lock."""
    os.environ.update(env)
    module = importlib.import_module(user)
    strike.start()
    module.write(body, module.TTL)

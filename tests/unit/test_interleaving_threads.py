"""Threads of a copy run one at a time; each test runs in a process of its own."""

import subprocess
import sys

import pytest

START = """
import concurrent.futures, queue, threading
from atleastonce.explore.threads import Turns
turns, log = Turns(), []
turns.install()
def work(name):
    for step in range(2):
        log.append((name, step))
"""
JOINED = """
with turns.membership():
    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    for thread in threads: thread.start()
    log.append("started")
    for thread in threads: thread.join()
"""
POOLED = """
with turns.membership():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(work, "ab"))
"""
QUEUED = """
with turns.membership():
    box = queue.Queue()
    thread = threading.Thread(target=lambda: log.append(box.get()))
    thread.start()
    box.put("put")
    log.append("went on")
    thread.join()
"""
LEFT = """
with turns.membership():
    pool = concurrent.futures.ThreadPoolExecutor(1)
    pool.submit(work, "a")
    turns.finish(set(threading.enumerate()) - {threading.current_thread()})
    log.append("finished")
"""
IN_ORDER = [("a", 0), ("a", 1), ("b", 0), ("b", 1)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (JOINED, ["started", *IN_ORDER]),
        (POOLED, IN_ORDER),
        (QUEUED, ["went on", "put"]),
        (LEFT, [*IN_ORDER[:2], "finished"]),
    ],
    ids=["joined", "in a pool", "fed by a queue", "left waiting for work"],
)
def test_threads_run_in_turn_and_go_on_when_others_wait(
    body: str, expected: list[object]
) -> None:
    code = f"{START}{body}print(log)"
    argv = [sys.executable, "-c", code]
    found = subprocess.run(
        argv, check=False, capture_output=True, text=True, timeout=60
    )
    assert found.stdout == f"{expected}\n", found.stderr

"""A kernel that dies as it starts is started again, and not for ever."""

from __future__ import annotations

import inspect

import pytest
from jupyter_client.client import KernelClient

from atleastonce.grading.kernel_start import DIED, TRIES, again


def test_the_second_start_counts() -> None:
    ends = iter([RuntimeError("Kernel died before replying to kernel_info"), None])

    def start(name: str) -> str:
        if error := next(ends):
            raise error
        return name

    assert again(start)("python") == "python"


def test_the_last_error_is_told() -> None:
    tries = []

    def start() -> None:
        tries.append(1)
        raise RuntimeError(f"Kernel died: {len(tries)}")

    with pytest.raises(RuntimeError, match=f": {TRIES}$"):
        again(start)()


def test_a_kernel_that_is_silent_is_waited_for_once() -> None:
    """Three times 60 s, on a machine that is too busy anyway."""
    tries = []

    def start() -> None:
        tries.append(1)
        raise RuntimeError("Kernel didn't respond in 60 seconds")

    with pytest.raises(RuntimeError, match="respond"):
        again(start)()
    assert len(tries) == 1


def test_jupyter_says_so_in_these_words() -> None:
    assert DIED in inspect.getsource(KernelClient._async_wait_for_ready)

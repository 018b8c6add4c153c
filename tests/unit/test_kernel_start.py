"""A kernel that dies as it starts is started again, and not for ever."""

from __future__ import annotations

import pytest

from atleastonce.grading.kernel_start import TRIES, again


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
        raise RuntimeError(str(len(tries)))

    with pytest.raises(RuntimeError, match=f"^{TRIES}$"):
        again(start)()

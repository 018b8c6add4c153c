"""Between nbval and its kernel: notice a death at once, and stop a flood of output."""

from __future__ import annotations

import ast
import json
from collections import deque
from queue import Empty
from typing import Any

from atleastonce.waiting import Deadline

#: Bytes that one cell may print or display.
MOST_OUTPUT = 4 * 1024 * 1024
#: Seconds between two looks at whether the kernel is alive.
TICK = 0.1
_GUARD = "__import__('atleastonce.grading.guard', fromlist='x').fingerprint({names!r})"


class KernelDied(Exception):
    """The kernel ended while a cell was running."""


class TooMuchOutput(Exception):
    """A cell printed more than ``MOST_OUTPUT`` bytes."""


class Watch:
    """Takes the place of two methods of nbval's ``RunningKernel``.

    nbval alone waits out the whole cell timeout for a dead kernel, and reads a cell's
    output only when the cell is done.
    """

    def __init__(self, kernel: Any) -> None:  # noqa: ANN401 - nbval has no types
        self._kernel = kernel
        self._read = kernel.get_message
        self._kept: deque[dict[str, Any]] = deque()
        self._size = 0
        kernel.await_reply = self.await_reply
        kernel.get_message = self.get_message

    def get_message(self, stream: str, timeout: float | None = None) -> Any:  # noqa: ANN401 - a message
        """The next message; of iopub, the ones kept while the cell ran come first.

        Raises:
            Empty: none in *timeout* seconds.
            TooMuchOutput: a flood may also arrive after the cell's reply.
        """
        if stream == "iopub" and self._kept:
            return self._kept.popleft()
        message = self._read(stream, timeout=timeout)
        if stream == "iopub":
            self._count(message)
        return message

    def await_reply(self, msg_id: str, timeout: float | None = None) -> Any:  # noqa: ANN401 - a message's content
        """Wait for the reply to a cell, *timeout* seconds.

        Raises:
            Empty: no reply in time, as nbval expects it.
            KernelDied: there will be none.
            TooMuchOutput: the cell was interrupted.
        """
        self._size = 0
        deadline = Deadline(timeout or 60.0)
        while not deadline.expired:
            self._keep_output()
            try:
                message = self._kernel.kc.get_shell_msg(timeout=TICK)
            except Empty:
                if not self._kernel.is_alive():
                    raise KernelDied from None
                continue
            if message["parent_header"].get("msg_id") == msg_id:
                return message["content"]
        raise Empty

    def fingerprint(self, names: list[str]) -> dict[str, int]:
        """The guard's marks; empty when the kernel gives none."""
        expression = _GUARD.format(names=names)
        msg_id = self._kernel.kc.execute(
            "", silent=True, store_history=False, user_expressions={"guard": expression}
        )
        try:
            found = self.await_reply(msg_id, timeout=10.0)["user_expressions"]["guard"]
            marks: dict[str, int] = json.loads(
                ast.literal_eval(found["data"]["text/plain"])
            )
        except (KeyError, ValueError, SyntaxError, Empty):
            return {}
        return marks

    def _keep_output(self) -> None:
        while True:
            try:
                message = self._kernel.kc.get_iopub_msg(timeout=0)
            except Empty:
                return
            self._kept.append(message)
            self._count(message)

    def _count(self, message: dict[str, Any]) -> None:
        self._size += _size(message["content"])
        if self._size > MOST_OUTPUT:
            self._kernel.interrupt()
            raise TooMuchOutput


def _size(content: dict[str, Any]) -> int:
    if "text" in content:
        return len(content["text"])
    return sum(len(str(value)) for value in content.get("data", {}).values())

"""The console of a lab's RabbitMQ node: questions answered inside it, in 1 ms."""

from __future__ import annotations

import socket
import struct
from pathlib import Path

from atleastonce.errors import ServiceError
from atleastonce.services.sockets import short

#: What the node runs; its text, for the node's user may not be able to read our folder.
SOURCE = Path(__file__).with_name("console.erl")
#: Seconds; a broker that starts inside its node takes 1 to 3.
TIMEOUT = 30.0
_LENGTH = struct.Struct(">I")


class Console:
    """Evaluate Erlang in the node whose lab is in *folder*."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "rabbitmq"
        self.path = self.home / "console"

    def ask(self, expression: str, timeout: float = TIMEOUT) -> str:
        """The value of an Erlang *expression*, as text.

        Raises:
            ServiceError: no answer within *timeout* seconds, or Erlang's error.
        """
        try:
            answer = self._exchange(f"{expression}.".encode(), timeout)
        except OSError as error:
            raise ServiceError(
                f"RabbitMQ's node did not answer: {expression}",
                seen=f"{type(error).__name__}: {error}",
                attempt="lab.rabbitmq.thaw() or .start()",
            ) from None
        if answer[:1] != b"+":
            seen = answer[1:].decode()
            raise ServiceError(f"RabbitMQ refused: {expression}", seen=seen)
        return answer[1:].decode()

    def _exchange(self, question: bytes, timeout: float) -> bytes:
        with socket.socket(socket.AF_UNIX) as end, short(self.path) as path:
            end.settimeout(timeout)
            end.connect(path)
            end.sendall(_LENGTH.pack(len(question)) + question)
            with end.makefile("rb") as reader:
                head = reader.read(_LENGTH.size)
                if len(head) < _LENGTH.size:
                    raise ConnectionError("closed without an answer")
                return reader.read(*_LENGTH.unpack(head))

"""The provider's ledger: charges and idempotency keys, kept through a crash."""

from __future__ import annotations

import errno
import json
import os
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atleastonce.shop.gateway.payment import Payment


class KeyReusedError(Exception):
    """The key came before, with another body."""


@dataclass(frozen=True)
class Charge:
    """Money that was taken."""

    id: str
    client: str
    customer: str
    amount: str  # two decimals
    reference: str
    key: str | None


class Ledger:
    """Charges in memory, each appended to *path* before anyone hears of it."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._lock = Lock()
        self._serving: defaultdict[tuple[str, str], Lock] = defaultdict(Lock)
        self._charges: list[Charge] = []
        self._keys: dict[tuple[str, str], tuple[dict[str, Any], Charge]] = {}
        self._load()

    @contextmanager
    def serving(self, client: str, key: str | None) -> Iterator[None]:
        """Let one request at a time use *key*: the others wait for its charge."""
        if key is None:
            yield
            return
        with self._lock:
            turn = self._serving[client, key]
        with turn:
            yield

    def charge(self, payment: Payment) -> tuple[Charge, bool]:
        """Take the money, or find the charge its key made; True when found.

        Raises:
            KeyReusedError: the key came before with another body.
            OSError: the ledger can't be written; nothing was charged.
        """
        with self._lock:
            if found := self._made_with(payment):
                return found, True
            charge = Charge(
                f"ch_{len(self._charges) + 1}",
                payment.client,
                payment.customer,
                payment.amount,
                payment.reference,
                payment.key,
            )
            self._append({"charge": asdict(charge), "body": payment.body})
            self._remember(charge, payment.body)
            return charge, False

    def rows(self) -> list[dict[str, Any]]:
        """Every charge, in the order in which they were made."""
        with self._lock:
            return [asdict(charge) for charge in self._charges]

    def clear(self) -> None:
        """Forget all charges and keys; ids start from 1 again."""
        with self._lock:
            self._path.write_bytes(b"")
            self._charges.clear()
            self._keys.clear()

    def _made_with(self, payment: Payment) -> Charge | None:
        if payment.key is None:
            return None
        body, charge = self._keys.get((payment.client, payment.key), (None, None))
        if charge and body != payment.body:
            raise KeyReusedError(payment.key)
        return charge

    def _remember(self, charge: Charge, body: dict[str, Any]) -> None:
        self._charges.append(charge)
        if charge.key is not None:
            self._keys[charge.client, charge.key] = body, charge

    def _append(self, row: dict[str, Any]) -> None:
        line = json.dumps(row).encode() + b"\n"
        fd = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            size = os.fstat(fd).st_size
            # A full disk takes half a line: without it the file stays readable.
            if os.write(fd, line) < len(line):
                os.ftruncate(fd, size)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        finally:
            os.close(fd)

    def _load(self) -> None:
        if not self._path.exists():
            return
        for line in self._path.read_text().splitlines():
            row = json.loads(line)
            self._remember(Charge(**row["charge"]), row["body"])

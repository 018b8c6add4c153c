"""What the provider does with a request for a charge; knows nothing of HTTP's wires."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from threading import Lock
from typing import TYPE_CHECKING, Any

from atleastonce.shop.gateway.knobs import Board, Knobs
from atleastonce.shop.gateway.ledger import Charge, KeyReusedError, Ledger
from atleastonce.waiting import pause

if TYPE_CHECKING:
    from collections.abc import Callable

    from atleastonce.eventlog import EventLog
    from atleastonce.shop.gateway.payment import Payment

#: Seconds between two looks at a client whose request hangs.
LOOK = 0.05


@dataclass(frozen=True)
class Tie:
    """The message, and the attempt at it, in which a request was made."""

    message: str = ""
    attempt: int = 0

    @classmethod
    def parse(cls, header: str) -> Tie:
        """Read ``X-Attempt: <task id>;<n>``; what is not one ties to nothing."""
        message, _, attempt = header.partition(";")
        return cls(message, int(attempt)) if attempt.isdecimal() else cls()


@dataclass(frozen=True)
class Answer:
    """What the client is told; ``lost``: nothing, and its connection is dropped."""

    status: int
    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)
    lost: bool = False


class Provider:
    """The ledger, the knobs and what was asked, behind one front door."""

    def __init__(self, ledger: Ledger, log: EventLog) -> None:
        self.board, self._ledger, self._log = Board(), ledger, log
        self._lock = Lock()
        self._requests: list[dict[str, Any]] = []

    def charge(
        self, payment: Payment, tie: Tie, client_left: Callable[[], bool]
    ) -> Answer:
        """Serve one ``POST /charges`` as the knobs say.

        Args:
            payment: what is asked for.
            tie: the message it belongs to.
            client_left: tells whether the client has closed its connection.

        Raises:
            OSError: the ledger can't be written; nothing was charged.
        """
        knobs, healed = self.board.take()
        row = self._received(payment, tie)
        with self._ledger.serving(payment.client, payment.key):
            pause(knobs.delay)
            answer = self._decide(payment, tie, knobs)
        while knobs.hang and not (healed.wait(LOOK) or client_left()):
            pass
        unheard = bool(knobs.lose_replies) or client_left()
        row["answer"] = "none" if unheard else answer.status
        return replace(answer, lost=unheard)

    def charges(self) -> list[dict[str, Any]]:
        """The ledger; the events of all it holds are written."""
        with self._lock:
            return self._ledger.rows()

    def requests(self) -> list[dict[str, Any]]:
        """Every request for a charge, in order of arrival, and how it was answered."""
        with self._lock:
            return [dict(row) for row in self._requests]

    def clear(self) -> None:
        """Forget charges, keys and requests."""
        with self._lock:
            self._ledger.clear()
            self._requests.clear()

    def _received(self, payment: Payment, tie: Tie) -> dict[str, Any]:
        row = {
            "client": payment.client,
            "key": payment.key,
            "body": payment.body,
            "message": tie.message,
            "attempt": tie.attempt,
            "answer": None,
        }
        with self._lock:
            self._requests.append(row)
        return row

    def _decide(self, payment: Payment, tie: Tie, knobs: Knobs) -> Answer:
        with self._lock:
            answer = self._charge(payment, tie, knobs)
            if knobs.hang:
                self._record("fault", "gives no answer", tie)
            if knobs.lose_replies:
                self._record("fault", "reply lost", tie)
        return answer

    def _charge(self, payment: Payment, tie: Tie, knobs: Knobs) -> Answer:
        if knobs.status:
            self._record("fault", f"answers {knobs.status}", tie)
            wait = {"Retry-After": str(knobs.retry_after)} if knobs.retry_after else {}
            return Answer(knobs.status, {"error": "not now"}, wait)
        try:
            charge, again = self._ledger.charge(payment)
        except KeyReusedError:
            self._record("note", "same key, another body: refused", tie)
            return Answer(422, {"error": "this key came before with another body"})
        if again:
            self._record("note", "same key: charge already made", tie)
            return Answer(200, asdict(charge), {"Idempotent-Replayed": "true"})
        self._record("effect", _text(charge), tie)
        return Answer(201, asdict(charge))

    def _record(self, kind: str, text: str, tie: Tie) -> None:
        self._log.write("gateway", kind, text, message=tie.message, attempt=tie.attempt)


def _text(charge: Charge) -> str:
    purpose = f" for {charge.reference}" if charge.reference else ""
    return f"charge {charge.amount} {charge.customer}{purpose}"

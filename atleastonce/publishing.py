"""Faults between the notebook and its broker: for a while, it publishes by a proxy."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, Self

from celery import signals

from atleastonce.errors import FaultError, WaitTimeout
from atleastonce.eventlog import EventLog
from atleastonce.proxy import Proxy
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from celery import Celery

    from atleastonce.addresses import Addresses
    from atleastonce.faults import Fault

#: Seconds in which a message that was sent has come to the proxy, for sure.
SEEN = 2.0


class Publishing:
    """Faults that strike messages as this process publishes them.

    In the block *app* publishes by way of a proxy; workers reach the broker directly.

    Attributes:
        struck: the faults that have struck, in that order.

    Args:
        app: what publishes.
        addresses: the lab's.
        faults: those of the producer; ``nth`` says which message each waits for.

    Raises:
        FaultError: two wait for the same message.
    """

    def __init__(self, app: Celery, addresses: Addresses, *faults: Fault) -> None:
        self._app, self._addresses, self._faults = app, addresses, faults
        self._waiting = {fault.nth: fault for fault in faults}
        if len(self._waiting) < len(faults):
            raise FaultError(
                "Only one fault can strike a message as it is published.",
                attempt='lose_reply("publish", nth=2)',
            )
        self._events = EventLog(addresses.events)
        self._published = 0
        self._armed: Fault | None = None
        self.struck: list[Fault] = []

    def __enter__(self) -> Self:
        """Publish by way of the proxy."""
        with ExitStack() as stack:
            if self._faults:
                at = self._addresses
                proxy = Proxy(at.broker_port, host=at.broker_host)
                self._proxy = stack.enter_context(proxy)
                self._reroute(stack)
            self._stack = stack.pop_all()
        return self

    def _reroute(self, stack: ExitStack) -> None:
        # Imported here: it sets Django up.
        from atleastonce.shop.celery import publish_to  # noqa: PLC0415

        stack.callback(publish_to, self._app, self._app.conf.get("broker_write_url"))
        by = self._addresses.by_way_of(self._proxy.port)
        publish_to(self._app, by.broker_url)
        stack.callback(signals.before_task_publish.disconnect, self._publish)
        signals.before_task_publish.connect(self._publish, weak=False)
        stack.callback(self._settle)

    def __exit__(self, *_: object) -> None:
        """Publish directly again."""
        self._stack.close()

    def require(self) -> None:
        """Check that every fault has struck.

        Raises:
            FaultError: one has not, so what was seen is not its work.
        """
        missing = [fault.text for fault in self._faults if fault not in self.struck]
        if missing:
            raise FaultError(
                f"Never struck: {'; '.join(missing)}.",
                seen=f"{self._published} messages published",
            )

    def _publish(self, headers: dict[str, Any], **_: object) -> None:
        self._settle()
        self._published += 1
        self._armed = self._waiting.get(self._published)
        if self._armed:
            self._arm(self._armed, headers["id"])

    def _arm(self, fault: Fault, message: str) -> None:
        # Recorded first: once the broker has it, a worker may have it before us.
        data = {"what": fault.what}
        self._events.write("broker", "fault", fault.text, message=message, data=data)
        # On the wire its id stands in the message, and in nothing else.
        if fault.action == "cut":
            self._proxy.cut(before=message.encode())
        else:
            self._proxy.lose_reply(after=message.encode())

    def _settle(self) -> None:
        """Note whether the fault that was armed last has struck."""
        if self._armed is None or self._armed in self.struck:
            return
        # Who does not wait for a reply goes on before the proxy has seen the message.
        with suppress(WaitTimeout):
            wait_until(
                lambda: self._proxy.struck > len(self.struck),
                timeout=SEEN,
                what=f"the {self._armed.action} to strike",
            )
            self.struck.append(self._armed)

# rejected by: ex2-parked
# "parked, once for each message, also if the message is delivered again": a second delivery
# resets replayed_at of a row that was replayed, so it is replayed, and charged, twice.
from decimal import Decimal

from atleastonce.shop import payments
from atleastonce.shop.models import DeadLetter


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def settle(self, payload):
    """A second delivery makes the row new: one that was replayed waits once more."""
    version = payload.get("version", 1)
    if version not in (1, 2, 3):
        return park(self, payload, f"version {version}")
    currency = payload["money"]["currency"] if version == 3 else "EUR"
    if currency not in ("EUR", "USD"):
        return park(self, payload, f"currency {currency}")
    if version == 1:
        amount = Decimal(payload["amount"])
    else:
        amount = Decimal((payload["money"] if version == 3 else payload)["cents"]) / 100
    payments.charge(payload["customer"], amount, reference=currency, key=self.request.id)


def park(task, payload, error):
    found = {"task": task.name, "args": [payload], "error": error, "replayed_at": None}
    DeadLetter.objects.update_or_create(key=task.request.id, defaults=found)

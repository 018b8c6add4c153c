# rejected by: ex2-versions
# "Two equal messages are two charges": messages that one task sends share its root_id; the
# second is not charged.
from decimal import Decimal

from atleastonce.shop import payments
from atleastonce.shop.models import DeadLetter


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def settle(self, payload):
    """The key is that of the first message of a workflow."""
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
    key = self.request.root_id
    payments.charge(payload["customer"], amount, reference=currency, key=key)


def park(task, payload, error):
    found = {"task": task.name, "args": [payload], "error": error}
    DeadLetter.objects.get_or_create(key=task.request.id, defaults=found)

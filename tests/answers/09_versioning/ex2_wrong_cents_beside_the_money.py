# rejected by: ex2-versions
# "Further fields of a known version are ignored": a version 3 that still has "cents" beside
# its money is charged those.
from decimal import Decimal

from atleastonce.shop import payments
from atleastonce.shop.models import DeadLetter


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def settle(self, payload):
    """Of the versions with cents, takes those beside the money if there are any."""
    version = payload.get("version", 1)
    if version not in (1, 2, 3):
        return park(self, payload, f"version {version}")
    money = payload["money"] if version == 3 else {}
    currency = money.get("currency", "EUR")
    if currency not in ("EUR", "USD"):
        return park(self, payload, f"currency {currency}")
    if version == 1:
        amount = Decimal(payload["amount"])
    else:
        amount = Decimal(payload.get("cents", money.get("cents"))) / 100
    payments.charge(payload["customer"], amount, reference=currency, key=self.request.id)


def park(task, payload, error):
    found = {"task": task.name, "args": [payload], "error": error}
    DeadLetter.objects.get_or_create(key=task.request.id, defaults=found)

# rejected by: ex2-once
from decimal import Decimal

from atleastonce.shop import payments
from atleastonce.shop.models import Claim, DeadLetter


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def settle(self, payload):
    """Version 3 has its own function, with a mark in place of a key."""
    version = payload.get("version", 1)
    if version not in (1, 2, 3):
        return park(self, payload, f"version {version}")
    if version == 3:
        cents, currency = payload["money"]["cents"], payload["money"]["currency"]
        if currency not in ("EUR", "USD"):
            return park(self, payload, f"currency {currency}")
    elif version == 2:
        cents, currency = payload["cents"], "EUR"
    else:
        cents, currency = int(Decimal(payload["amount"]) * 100), "EUR"
    pay = marked if version == 3 else payments.charge
    pay(payload["customer"], Decimal(cents) / 100, reference=currency, key=self.request.id)


def marked(customer, amount, reference, key):
    if not Claim.objects.filter(key=key, done=True).exists():
        payments.charge(customer, amount, reference=reference)
        Claim.objects.create(key=key, done=True)


def park(task, payload, error):
    found = {"task": task.name, "args": [payload], "error": error}
    DeadLetter.objects.get_or_create(key=task.request.id, defaults=found)

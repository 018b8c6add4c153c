# rejected by: ex2-versions
# meets: KeyError
from decimal import Decimal

from atleastonce.shop import payments
from atleastonce.shop.models import DeadLetter


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def settle(self, payload):
    version = payload.get("version", 1)
    if version not in (1, 2, 3):
        return park(self, payload, f"version {version}")
    if "money" in payload:
        cents, currency = payload["money"]["cents"], payload["money"]["currency"]
        if currency not in ("EUR", "USD"):
            return park(self, payload, f"currency {currency}")
    elif "cents" in payload:
        cents, currency = payload["cents"], "EUR"
    else:
        cents, currency = int(Decimal(payload["amount"]) * 100), "EUR"
    amount = Decimal(cents) / 100
    payments.charge(payload["customer"], amount, reference=currency, key=self.request.id)


def park(task, payload, error):
    found = {"task": task.name, "args": [payload], "error": error}
    DeadLetter.objects.get_or_create(key=task.request.id, defaults=found)

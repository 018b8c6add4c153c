# rejected by: ex2-parked
# meets: KeyError
from decimal import Decimal

from atleastonce.shop import payments
from atleastonce.shop.models import DeadLetter


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def settle(self, payload):
    version, now = payload.get("version", 1), dict(payload)
    if version == 1:
        version, now["cents"] = 2, int(Decimal(now["amount"]) * 100)
    if version == 2:
        version, now["money"] = 3, {"cents": now["cents"], "currency": "EUR"}
    if version != 3:
        return park(self, {"version": version, "customer": now["customer"], "money": now["money"]}, f"version {version}")
    cents, currency = now["money"]["cents"], now["money"]["currency"]
    if currency not in ("EUR", "USD"):
        return park(self, {"version": version, "customer": now["customer"], "money": now["money"]}, f"currency {currency}")
    amount = Decimal(cents) / 100
    payments.charge(now["customer"], amount, reference=currency, key=self.request.id)


def park(task, payload, error):
    found = {"task": task.name, "args": [payload], "error": error}
    DeadLetter.objects.get_or_create(key=task.request.id, defaults=found)

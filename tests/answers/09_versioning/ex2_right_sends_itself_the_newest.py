from decimal import Decimal

from atleastonce.shop import payments
from atleastonce.shop.models import DeadLetter


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def settle(self, payload):
    version = payload.get("version", 1)
    if version == 1:
        cents = int(Decimal(payload["amount"]) * 100)
        newer = {"version": 2, "customer": payload["customer"], "cents": cents}
        return again(self, newer)
    if version == 2:
        money = {"cents": payload["cents"], "currency": "EUR"}
        return again(self, {"version": 3, "customer": payload["customer"], "money": money})
    currency = payload["money"]["currency"] if version == 3 else ""
    if currency not in ("EUR", "USD"):
        error = f"version {version} {currency}"
        row = DeadLetter(key=self.request.id, task=self.name, args=[payload], error=error)
        DeadLetter.objects.bulk_create([row], ignore_conflicts=True)
        return
    amount = f"{payload['money']['cents'] / 100:.2f}"
    payments.charge(payload["customer"], amount, reference=currency, key=self.request.id)


def again(task, payload):
    task.apply_async([payload], task_id=task.request.id)

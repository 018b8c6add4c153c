# rejected by: ex2-versions
# meets: TypeError
# "Further fields of a known version are ignored": a version 3 with one ends as TypeError,
# and is never charged.
from decimal import Decimal

from atleastonce.shop import payments
from atleastonce.shop.models import DeadLetter


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def settle(self, payload):
    """Upcast to version 3, which is read strictly."""
    now, version = payload, payload.get("version", 1)
    if version == 1:
        cents = int(Decimal(now["amount"]) * 100)
        now, version = {"version": 2, "customer": now["customer"], "cents": cents}, 2
    if version == 2:
        money = {"cents": now["cents"], "currency": "EUR"}
        now, version = {"version": 3, "customer": now["customer"], "money": money}, 3
    if version != 3:
        return park(self, payload, f"version {version}")
    if now["money"]["currency"] not in ("EUR", "USD"):
        return park(self, payload, f"currency {now['money']['currency']}")
    pay(self.request.id, **now)


def pay(key, *, version, customer, money):
    amount = Decimal(money["cents"]) / 100
    payments.charge(customer, amount, reference=money["currency"], key=key)


def park(task, payload, error):
    found = {"task": task.name, "args": [payload], "error": error}
    DeadLetter.objects.get_or_create(key=task.request.id, defaults=found)

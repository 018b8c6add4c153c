# rejected by: ex2-parked
# meets: KeyError
# "any other version ...: no charge; park it": a version 4 without the key "customer" ends
# as KeyError, acked, and is lost.
from decimal import Decimal

from atleastonce.shop import payments
from atleastonce.shop.models import DeadLetter


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def settle(self, payload):
    """Each version has a customer; does the next one?"""
    customer, version = payload["customer"], payload.get("version", 1)
    if version == 1:
        amount, currency = Decimal(payload["amount"]), "EUR"
    elif version == 2:
        amount, currency = Decimal(payload["cents"]) / 100, "EUR"
    elif version == 3:
        money = payload["money"]
        amount, currency = Decimal(money["cents"]) / 100, money["currency"]
    else:
        return park(self, payload, f"version {version}")
    if currency not in ("EUR", "USD"):
        return park(self, payload, f"currency {currency}")
    payments.charge(customer, amount, reference=currency, key=self.request.id)


def park(task, payload, error):
    found = {"task": task.name, "args": [payload], "error": error}
    DeadLetter.objects.get_or_create(key=task.request.id, defaults=found)

# rejected by: ex2-parked
# meets: TypeError
# meets: AttributeError
from decimal import Decimal

from atleastonce.shop import payments
from atleastonce.shop.models import DeadLetter


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def settle(self, payload):
    version, money = payload.get("version", 1), payload.get("money", {})
    if version == 1:
        amount, currency = payload["amount"], "EUR"
    elif version == 2:
        amount, currency = Decimal(payload["cents"]) / 100, "EUR"
    else:
        minor = money.get("cents", money.get("minor"))
        amount = Decimal(minor) / 100
        currency = money.get("currency", money.get("unit"))
    if currency not in ("EUR", "USD"):
        found = {"task": self.name, "args": [payload], "error": f"currency {currency}"}
        DeadLetter.objects.get_or_create(key=self.request.id, defaults=found)
        return
    payments.charge(payload["customer"], amount, reference=currency, key=self.request.id)

# rejected by: ex2-parked
from decimal import Decimal

from atleastonce.shop import payments


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def settle(self, payload):
    version = payload.get("version", 1)
    if version == 1:
        amount, currency = payload["amount"], "EUR"
    elif version == 2:
        amount, currency = Decimal(payload["cents"]) / 100, "EUR"
    elif version == 3 and payload["money"]["currency"] in ("EUR", "USD"):
        amount = Decimal(payload["money"]["cents"]) / 100
        currency = payload["money"]["currency"]
    else:
        raise ValueError(f"can't read version {version}: {payload}")
    payments.charge(payload["customer"], amount, reference=currency, key=self.request.id)

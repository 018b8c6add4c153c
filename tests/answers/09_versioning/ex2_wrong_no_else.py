# rejected by: ex2-parked
from decimal import Decimal

from atleastonce.shop import payments


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def settle(self, payload):
    version, key = payload.get("version", 1), self.request.id
    if version == 1:
        payments.charge(payload["customer"], payload["amount"], reference="EUR", key=key)
    elif version == 2:
        amount = Decimal(payload["cents"]) / 100
        payments.charge(payload["customer"], amount, reference="EUR", key=key)
    elif version == 3 and payload["money"]["currency"] in ("EUR", "USD"):
        amount = Decimal(payload["money"]["cents"]) / 100
        currency = payload["money"]["currency"]
        payments.charge(payload["customer"], amount, reference=currency, key=key)

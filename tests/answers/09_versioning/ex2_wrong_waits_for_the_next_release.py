# rejected by: ex2-parked
# meets: KeyError
# meets: TypeError
from decimal import Decimal

from atleastonce.shop import payments


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True, max_retries=3)
def settle(self, payload):
    version = payload.get("version", 1)
    euros = {"cents": payload.get("cents"), "currency": "EUR"}
    money = payload["money"] if version > 2 else euros
    if version not in (1, 2, 3) or money["currency"] not in ("EUR", "USD"):
        raise self.retry(countdown=0.1)
    amount = payload["amount"] if version == 1 else Decimal(money["cents"]) / 100
    currency = money["currency"]
    payments.charge(payload["customer"], amount, reference=currency, key=self.request.id)

from decimal import Decimal

from atleastonce.shop import payments
from atleastonce.shop.models import DeadLetter

options = {"bind": True, "acks_late": True, "reject_on_worker_lost": True}


@app.task(**options)
def settle(self, payload):
    version = payload.get("version", 1)
    unit = payload["money"]["currency"] if version == 3 else "EUR"
    if version not in (1, 2, 3) or unit not in ("EUR", "USD"):
        keep.delay(self.request.id, self.name, payload, f"version {version}, {unit}")
        return
    if version == 1:
        amount = Decimal(payload["amount"])
    else:
        found = payload["money"] if version == 3 else payload
        amount = Decimal(found["cents"]) / 100
    payments.charge(payload["customer"], amount, reference=unit, key=self.request.id)


@app.task(**options)
def keep(self, key, task, payload, error):
    found = {"task": task, "args": [payload], "error": error}
    DeadLetter.objects.update_or_create(key=key, defaults=found)

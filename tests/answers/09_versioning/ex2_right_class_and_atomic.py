from decimal import Decimal

from celery import Task
from django.db import transaction

from atleastonce.shop import payments
from atleastonce.shop.models import DeadLetter


class Settle(Task):
    name = "shop.settle"
    acks_late = True
    reject_on_worker_lost = True
    autoretry_for = (OSError,)

    def run(self, payload):
        read = getattr(self, f"v{payload.get('version', 1)}", None)
        if read is None:
            return self.park(payload, f"version {payload['version']}")
        amount, currency = read(payload)
        if currency not in {"EUR", "USD"}:
            return self.park(payload, f"currency {currency}")
        key = f"settle-{self.request.id}"
        payments.charge(payload["customer"], amount, reference=currency, key=key)
        return "charged"

    def v1(self, payload):
        return Decimal(payload["amount"]), "EUR"

    def v2(self, payload):
        return Decimal(payload["cents"]) / 100, "EUR"

    def v3(self, payload):
        return Decimal(payload["money"]["cents"]) / 100, payload["money"]["currency"]

    @transaction.atomic
    def park(self, payload, error):
        known = DeadLetter.objects.select_for_update().filter(key=self.request.id)
        if not known.exists():
            DeadLetter(key=self.request.id, task=self.name, args=[payload], error=error).save()
        return "parked"


settle = app.register_task(Settle())

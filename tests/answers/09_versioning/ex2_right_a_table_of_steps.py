from decimal import Decimal

from django.db import IntegrityError

from atleastonce.shop import payments
from atleastonce.shop.models import DeadLetter


class Unknown(Exception):
    pass


STEPS = {
    1: lambda old: {"customer": old["customer"], "cents": cents(old["amount"])},
    2: lambda old: old | {"money": {"cents": old["cents"], "currency": "EUR"}},
}


def cents(amount):
    return round(Decimal(amount) * 100)


def newest(payload):
    version = payload.get("version", 1)
    if version > 3:
        raise Unknown(f"version {version}")
    for step in range(version, 3):
        payload = STEPS[step](payload)
    if payload["money"]["currency"] not in {"EUR", "USD"}:
        raise Unknown(f"currency {payload['money']['currency']}")
    return payload


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def settle(self, payload):
    try:
        now = newest(payload)
    except Unknown as error:
        return keep(self, str(error))
    amount = Decimal(now["money"]["cents"]).scaleb(-2)
    currency = now["money"]["currency"]
    payments.charge(now["customer"], amount, reference=currency, key=self.request.id)


def keep(task, error):
    request = task.request
    try:
        DeadLetter.objects.create(
            key=request.id, task=task.name, args=request.args, error=error
        )
    except IntegrityError:
        pass

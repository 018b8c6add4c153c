from celery import Task
from requests import RequestException

from atleastonce.shop import payments


class Pay(Task):
    name = "shop.pay"
    acks_late = True
    reject_on_worker_lost = True

    def run(self, *args, **fields):
        if args:
            fields |= dict(zip(("customer", "amount"), args, strict=True))
        tries, key = fields.pop("tries", 0), fields.pop("key", self.request.id)
        try:
            payments.charge(fields["customer"], fields["amount"], key=key)
        except RequestException:
            if tries == 3:
                raise
            again = fields | {"tries": tries + 1, "key": key}
            app.send_task("shop.pay", kwargs=again, countdown=60)


class Old(Pay):
    name = "billing.pay"


pay, old = app.register_task(Pay()), app.register_task(Old())


def send(customer, amount):
    return pay.apply_async(kwargs={"customer": customer, "amount": amount})

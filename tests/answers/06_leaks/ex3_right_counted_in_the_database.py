from itertools import islice

from django.db import transaction
from django.db.models import F

from atleastonce.shop.models import Tally

SETTINGS = {"worker_max_tasks_per_child": 12}


@app.task
def total(path: str) -> None:
    def spent():
        with open(path) as file:
            for line in file:
                customer, amount, _ = line.split(" ", 2)
                yield customer, round(float(amount) * 100)

    found = spent()
    with transaction.atomic():
        for many in iter(lambda: list(islice(found, 20_000)), []):
            for customer in {name for name, _ in many}:
                Tally.objects.get_or_create(key=customer)
                sum_ = sum(cents for name, cents in many if name == customer)
                Tally.objects.filter(key=customer).update(count=F("count") + sum_)

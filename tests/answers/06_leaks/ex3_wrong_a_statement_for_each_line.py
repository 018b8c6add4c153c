# rejected by: ex3-stream
from decimal import Decimal

from django.db import transaction
from django.db.models import F

from atleastonce.shop.models import Tally

SETTINGS: dict[str, object] = {"worker_max_tasks_per_child": 10}


@app.task
def total(path: str) -> None:
    with open(path) as file, transaction.atomic():
        for line in file:
            customer, amount, _ = line.split(" ", 2)
            row, new = Tally.objects.get_or_create(key=customer, defaults={"count": 0})
            Tally.objects.filter(pk=row.pk).update(count=F("count") + int(Decimal(amount) * 100))

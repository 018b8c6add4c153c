import csv
from collections import Counter
from decimal import Decimal

from atleastonce.shop.models import Tally

SETTINGS = {"worker_max_tasks_per_child": 9, "worker_max_memory_per_child": 2_000_000}


@app.task
def total(path: str) -> None:
    sums = Counter()
    with open(path, newline="") as file:
        for customer, amount, *_ in csv.reader(file, delimiter=" ", quoting=csv.QUOTE_NONE):
            sums[customer] += Decimal(amount)
    Tally.objects.bulk_create(Tally(key=name, count=int(total * 100)) for name, total in sums.items())

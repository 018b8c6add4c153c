# rejected by: ex3-stream
from collections import defaultdict
from decimal import Decimal

from atleastonce.shop.models import Tally

SETTINGS: dict[str, object] = {"worker_max_tasks_per_child": 10}


@app.task
def total(path: str) -> None:
    """Add up the amounts of each customer, and write a Tally for each, in cents."""
    sums = defaultdict(list)
    with open(path, encoding="utf-8") as file:
        for line in file:
            customer, amount, _ = line.split(" ", 2)
            sums[customer].append(int(Decimal(amount) * 100))
    for customer, cents in sums.items():
        Tally.objects.create(key=customer, count=sum(cents))

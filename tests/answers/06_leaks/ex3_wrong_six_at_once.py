# rejected by: ex3-recycled
from collections import defaultdict
from decimal import Decimal

from atleastonce.shop.models import Tally

SETTINGS: dict[str, object] = {"concurrency": 6}


@app.task
def total(path: str) -> None:
    """Add up the amounts of each customer, and write a Tally for each, in cents."""
    sums = defaultdict(int)
    with open(path, encoding="utf-8") as file:
        for line in file:
            customer, amount, _ = line.split(" ", 2)
            sums[customer] += int(Decimal(amount) * 100)
    for customer, cents in sums.items():
        Tally.objects.create(key=customer, count=cents)

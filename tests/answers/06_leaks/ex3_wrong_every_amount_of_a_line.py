# rejected by: ex3-totals
import re

from atleastonce.shop.models import Tally

SETTINGS = {"worker_max_tasks_per_child": 12}


@app.task
def total(path: str) -> None:
    cents = {}
    with open(path) as file:
        for line in file:
            customer = line.split()[0]
            amount = sum(int(a + b) for a, b in re.findall(r"(\d+)\.(\d\d)", line))
            cents[customer] = cents.get(customer, 0) + amount
    for customer, count in cents.items():
        Tally.objects.create(key=customer, count=count)

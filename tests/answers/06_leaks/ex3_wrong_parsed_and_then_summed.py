# rejected by: ex3-stream
from collections import Counter

from atleastonce.shop.models import Tally

SETTINGS: dict[str, object] = {"worker_max_tasks_per_child": 10}


def parse(line):
    customer, amount, _ = line.split(" ", 2)
    return customer, int(amount.replace(".", ""))


@app.task
def total(path: str) -> None:
    with open(path) as file:
        rows = [parse(line) for line in file]
    sums = Counter()
    for customer, cents in rows:
        sums[customer] += cents
    Tally.objects.bulk_create(Tally(key=key, count=cents) for key, cents in sums.items())

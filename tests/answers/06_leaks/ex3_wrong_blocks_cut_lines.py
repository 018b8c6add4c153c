# rejected by: ex3-totals
import re

from atleastonce.shop.models import Tally

SETTINGS = {"worker_max_tasks_per_child": 12}


@app.task
def total(path: str) -> None:
    cents = {}
    with open(path) as file:
        while block := file.read(2**20):
            for line in block.splitlines():
                found = re.match(r"(\S+) (\d+)\.(\d\d) ", line)
                if found:
                    customer, euros, rest = found.groups()
                    cents[customer] = cents.get(customer, 0) + 100 * int(euros) + int(rest)
    for customer, count in cents.items():
        Tally.objects.create(key=customer, count=count)

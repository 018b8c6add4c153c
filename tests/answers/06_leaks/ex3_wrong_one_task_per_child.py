# rejected by: ex3-recycled
from atleastonce.shop.models import Tally

SETTINGS = {"worker_max_tasks_per_child": 1}


@app.task
def total(path: str) -> None:
    cents = {}
    with open(path) as file:
        for line in file:
            customer, amount, _ = line.split(" ", 2)
            cents[customer] = cents.get(customer, 0) + int(amount.replace(".", ""))
    for customer, count in cents.items():
        Tally.objects.create(key=customer, count=count)

# rejected by: ex3-stream
import shutil
import tempfile

from atleastonce.shop.models import Tally

SETTINGS = {"worker_max_tasks_per_child": 12}


@app.task
def total(path: str) -> None:
    with tempfile.TemporaryFile("w+") as copy:
        with open(path) as pipe:
            shutil.copyfileobj(pipe, copy)
        copy.seek(0)
        cents = {}
        for line in copy.read().splitlines():
            customer, amount, _ = line.split(" ", 2)
            cents[customer] = cents.get(customer, 0) + int(amount.replace(".", ""))
    for customer, count in cents.items():
        Tally.objects.create(key=customer, count=count)

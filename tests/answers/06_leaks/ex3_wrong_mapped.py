# rejected by: ex3-stream
import mmap

from atleastonce.shop.models import Tally

SETTINGS = {"worker_max_tasks_per_child": 12}


@app.task
def total(path: str) -> None:
    cents = {}
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as whole:
        for line in iter(whole.readline, b""):
            customer, amount, _ = line.decode().split(" ", 2)
            cents[customer] = cents.get(customer, 0) + int(amount.replace(".", ""))
    for customer, count in cents.items():
        Tally.objects.create(key=customer, count=count)

# rejected by: ex3-stream
from itertools import groupby

from atleastonce.shop.models import Tally

SETTINGS = {"worker_max_tasks_per_child": 12}


@app.task
def total(path: str) -> None:
    with open(path) as file:
        for customer, lines in groupby(sorted(file), key=lambda line: line.split(" ")[0]):
            cents = sum(int(line.split(" ")[1].replace(".", "")) for line in lines)
            Tally.objects.create(key=customer, count=cents)

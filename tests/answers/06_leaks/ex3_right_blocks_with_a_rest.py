from atleastonce.shop.models import Tally

SETTINGS = {"worker_max_tasks_per_child": 10}


@app.task
def total(path: str) -> None:
    sums, rest = {}, b""
    with open(path, "rb", buffering=0) as pipe:
        while block := pipe.read(2**20):
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                customer, amount, _ = line.split(b" ", 2)
                euros, cents = amount.split(b".")
                sums[customer] = sums.get(customer, 0) + 100 * int(euros) + int(cents)
    for customer in sums:
        Tally.objects.create(key=customer.decode(), count=sums[customer])

# rejected by: ex2-split
import gc
from itertools import count as counter

from celery.signals import task_postrun
from functools import lru_cache

from kit import publish, scan, template

# TODO: mend the three leaks below, and let each task publish what it publishes now.
total = count = 0


@lru_cache(maxsize=None)
def rate(country: str) -> int:
    """The tax in per cent."""
    return {"de": 19, "fr": 20, "it": 22}[country]


@app.task
def price(order: int, cents: int, country: str) -> None:
    """Publish the length of the scan, and the mean gross price of all orders so far."""
    global total, count
    gross, paper = cents * (100 + rate(country)) // 100, scan(order)
    publish(f"length {order}", len(paper))
    total += gross
    count += 1
    publish("mean", f"{total / count:.2f}")


@lru_cache(maxsize=8)
def read_template(customer):
    return template(customer)


class Letter:
    """A letter to a customer."""

    def __init__(self, customer: str) -> None:
        self.customer = customer

    def text(self) -> bytes:
        return read_template(self.customer)


@app.task
def letter(order: int, customer: str) -> None:
    """Publish the letter that goes out with an order."""
    publish(f"letter {order}", Letter(customer).text().rstrip())


nth = counter(1)


@task_postrun.connect
def sweep(**_):
    """A collection takes time: one in 30 tasks."""
    if next(nth) % 30 == 0:
        gc.collect()


class Part:
    """A part of an order's scan, or the whole."""

    def __init__(self, text: str | bytes, whole: "Part | None" = None) -> None:
        self.text, self.parts = text, []
        self.whole = whole
        if whole:
            whole.parts.append(self)


@app.task
def split(order: int) -> None:
    """Publish the first page of an order's scan."""
    whole = Part(scan(order))
    first = Part("page 1", whole)
    publish(f"page {order}", f"{first.text} of {len(first.whole.text)} bytes")

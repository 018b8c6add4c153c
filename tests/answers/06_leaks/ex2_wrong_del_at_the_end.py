# rejected by: ex2-split
from functools import lru_cache

from kit import publish, scan, template

# TODO: mend the three leaks below, and let each task publish what it publishes now.
sums = {"orders": 0, "cents": 0}


@lru_cache(maxsize=None)
def rate(country: str) -> int:
    """The tax in per cent."""
    return {"de": 19, "fr": 20, "it": 22}[country]


@app.task
def price(order: int, cents: int, country: str) -> None:
    """Publish the length of the scan, and the mean gross price of all orders so far."""
    gross, paper = cents * (100 + rate(country)) // 100, scan(order)
    publish(f"length {order}", len(paper))
    sums["orders"] += 1
    sums["cents"] += gross
    publish("mean", f"{sums['cents'] / sums['orders']:.2f}")


class Letter:
    """A letter to a customer."""

    def __init__(self, customer: str) -> None:
        self.customer = customer

    def text(self) -> bytes:
        return text_of(self.customer)


@app.task
def letter(order: int, customer: str) -> None:
    """Publish the letter that goes out with an order."""
    publish(f"letter {order}", Letter(customer).text().rstrip())


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
    del first, whole


@lru_cache(maxsize=8)
def text_of(customer: str) -> bytes:
    """The customer's template."""
    return template(customer)

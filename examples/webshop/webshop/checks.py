"""What a sweep starts from, and what it looks at."""

from django.core.management import call_command

from atleastonce.own.outside import mails
from webshop.orders.models import Order


def tables():
    """Migrate."""
    call_command("migrate", verbosity=0)


def order():
    """One new order."""
    Order.objects.create(pk=1, customer="ann@example.com")


def start():
    """Both; what it prints must not reach the answer."""
    tables()
    order()
    print("one order, on stdout")


def world():
    """Mails, and orders by status."""
    counts = {s: Order.objects.filter(status=s).count() for s in ("paid", "told")}
    return {"mails": len(mails()), **counts}

from decimal import Decimal

from django.db import IntegrityError, connection, transaction
from django.db.models import F

from atleastonce.shop.models import Account, SignUp, Withdrawal, Workshop


class TooMuch(Exception):
    """The balance does not cover it."""


def take(request_id, name, amount):
    with transaction.atomic():
        account = Account.objects.get(name=name)
        values = {"account": account, "amount": amount}
        Withdrawal.objects.create(request_id=request_id, **values)
        enough = Account.objects.filter(pk=account.pk, balance__gte=amount)
        if not enough.update(balance=F("balance") - amount):
            raise TooMuch


@app.task(acks_late=True, reject_on_worker_lost=True)
def withdraw(request_id, name, amount):
    try:
        take(request_id, name, Decimal(amount))
    except (IntegrityError, TooMuch):
        return


@app.task(acks_late=True, reject_on_worker_lost=True)
def sign_up(title, name):
    with transaction.atomic():
        workshop = Workshop.objects.get(title=title)
        lock = "SELECT pg_advisory_xact_lock(%s)"
        connection.cursor().execute(lock, [workshop.pk])
        here = SignUp.objects.filter(workshop=workshop)
        full = here.count() >= workshop.seats
        if not full and not here.filter(name=name).exists():
            SignUp.objects.create(workshop=workshop, name=name)

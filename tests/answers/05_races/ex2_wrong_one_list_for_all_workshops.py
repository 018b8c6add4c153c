# rejected by: ex2-one-winner
from decimal import Decimal

from django.db import connection, transaction
from django.db.models import F

from atleastonce.shop.models import Account, SignUp, Withdrawal, Workshop


@app.task(acks_late=True, reject_on_worker_lost=True)
def withdraw(request_id: str, name: str, amount: str) -> None:
    """Take money from an account, if it is there, once per request.

    request_id: such as "req-1".
    name: the account's.
    amount: such as "80.00".
    """
    with transaction.atomic():
        account = Account.objects.select_for_update().get(name=name)
        known = Withdrawal.objects.filter(request_id=request_id).exists()
        if not known and account.balance >= Decimal(amount):
            values = {"account": account, "amount": amount}
            Withdrawal.objects.create(request_id=request_id, **values)
            account.balance -= Decimal(amount)
            account.save(update_fields=["balance"])


@app.task(acks_late=True, reject_on_worker_lost=True)
def sign_up(title: str, name: str) -> None:
    """Give somebody a place in a workshop, if there is one.

    title: the workshop's.
    name: who wants to come.
    """
    with transaction.atomic():
        workshop = Workshop.objects.select_for_update().get(title=title)
        guests = set(SignUp.objects.values_list("name", flat=True))
        if name not in guests and len(guests) < workshop.seats:
            SignUp.objects.create(workshop=workshop, name=name)

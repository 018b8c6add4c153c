# rejected by: ex2-crash-anywhere
from decimal import Decimal

from django.db import transaction
from django.db.models import F

from atleastonce.shop.models import Account, SignUp, Withdrawal, Workshop


@app.task(acks_late=True, reject_on_worker_lost=True)
def withdraw(request_id, name, amount):
    account = Account.objects.get(name=name)
    values = {"account": account, "amount": amount}
    _, new = Withdrawal.objects.get_or_create(request_id=request_id, defaults=values)
    enough = Account.objects.filter(pk=account.pk, balance__gte=Decimal(amount))
    if new and not enough.update(balance=F("balance") - Decimal(amount)):
        Withdrawal.objects.filter(request_id=request_id).delete()


@app.task(acks_late=True, reject_on_worker_lost=True)
def sign_up(title, name):
    with transaction.atomic():
        workshop = Workshop.objects.select_for_update().get(title=title)
        guests = set(workshop.signup_set.values_list("name", flat=True))
        if name not in guests and len(guests) < workshop.seats:
            SignUp.objects.create(workshop=workshop, name=name)

# rejected by: ex2-never-below-zero
from decimal import Decimal

from django.db import transaction
from django.db.models import F

from atleastonce.shop.models import Account, SignUp, Withdrawal, Workshop


@app.task(acks_late=True, reject_on_worker_lost=True)
def withdraw(request_id, name, amount):
    with transaction.atomic():
        account = Account.objects.get(name=name)
        known = Withdrawal.objects.filter(request_id=request_id).exists()
        if not known and account.balance >= Decimal(amount):
            values = {"account": account, "amount": amount}
            Withdrawal.objects.create(request_id=request_id, **values)
            rest = F("balance") - Decimal(amount)
            Account.objects.filter(pk=account.pk).update(balance=rest)


@app.task(acks_late=True, reject_on_worker_lost=True)
def sign_up(title, name):
    with transaction.atomic():
        workshop = Workshop.objects.select_for_update().get(title=title)
        guests = set(workshop.signup_set.values_list("name", flat=True))
        if name not in guests and len(guests) < workshop.seats:
            SignUp.objects.create(workshop=workshop, name=name)

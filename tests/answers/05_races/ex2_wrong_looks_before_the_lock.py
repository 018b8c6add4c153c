# rejected by: ex2-request-once
from decimal import Decimal

from django.db import transaction

from atleastonce.shop.models import Account, SignUp, Withdrawal, Workshop


@app.task(acks_late=True, reject_on_worker_lost=True)
def withdraw(request_id, name, amount):
    if Withdrawal.objects.filter(request_id=request_id).exists():
        return
    with transaction.atomic():
        account = Account.objects.select_for_update().get(name=name)
        if account.balance >= Decimal(amount):
            account.balance -= Decimal(amount)
            account.save(update_fields=["balance"])
            row = Withdrawal(request_id=request_id, account=account, amount=amount)
            Withdrawal.objects.bulk_create([row], ignore_conflicts=True)


@app.task(acks_late=True, reject_on_worker_lost=True)
def sign_up(title, name):
    with transaction.atomic():
        workshop = Workshop.objects.select_for_update().get(title=title)
        guests = set(workshop.signup_set.values_list("name", flat=True))
        if name not in guests and len(guests) < workshop.seats:
            SignUp.objects.create(workshop=workshop, name=name)

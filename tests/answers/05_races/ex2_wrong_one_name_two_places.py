# rejected by: ex2-one-winner
from decimal import Decimal

from django.db import transaction

from atleastonce.shop.models import Account, SignUp, Withdrawal, Workshop


@app.task(acks_late=True, reject_on_worker_lost=True)
def withdraw(request_id, name, amount):
    with transaction.atomic():
        account = Account.objects.select_for_update().get(name=name)
        known = Withdrawal.objects.filter(request_id=request_id).exists()
        if not known and account.balance >= Decimal(amount):
            values = {"account": account, "amount": amount}
            Withdrawal.objects.create(request_id=request_id, **values)
            account.balance -= Decimal(amount)
            account.save(update_fields=["balance"])


@app.task(acks_late=True, reject_on_worker_lost=True)
def sign_up(title, name):
    with transaction.atomic():
        workshop = Workshop.objects.select_for_update().get(title=title)
        if workshop.signup_set.count() < workshop.seats:
            SignUp.objects.create(workshop=workshop, name=name)

# rejected by: ex2-never-below-zero
from decimal import Decimal

from django.db import transaction

from atleastonce.shop.models import Account, SignUp, Withdrawal, Workshop


@app.task(acks_late=True, reject_on_worker_lost=True)
def withdraw(request_id, name, amount):
    with transaction.atomic():
        account = Account.objects.select_for_update(skip_locked=True).filter(name=name).first()
        if account is None:
            return
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
        guests = set(workshop.signup_set.values_list("name", flat=True))
        if name not in guests and len(guests) < workshop.seats:
            SignUp.objects.create(workshop=workshop, name=name)

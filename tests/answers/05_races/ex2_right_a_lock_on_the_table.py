from decimal import Decimal

from django.db import connection, transaction

from atleastonce.shop.models import Account, SignUp, Withdrawal, Workshop


def alone(table):
    lock = f"LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE"
    connection.cursor().execute(lock)


@app.task(acks_late=True, reject_on_worker_lost=True)
@transaction.atomic
def withdraw(request_id, name, amount):
    alone("shop_withdrawal")
    account, amount = Account.objects.get(name=name), Decimal(amount)
    known = Withdrawal.objects.filter(request_id=request_id).exists()
    if not known and account.balance >= amount:
        account.withdrawal_set.create(request_id=request_id, amount=amount)
        account.balance -= amount
        account.save(update_fields=["balance"])


@app.task(acks_late=True, reject_on_worker_lost=True)
@transaction.atomic
def sign_up(title, name):
    alone("shop_signup")
    workshop = Workshop.objects.get(title=title)
    here = SignUp.objects.filter(workshop=workshop)
    if here.count() < workshop.seats and not here.filter(name=name).exists():
        here.create(workshop=workshop, name=name)

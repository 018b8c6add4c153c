"""What the search is tried on; imported by the copies' processes.

Each name ends in what is wrong with it, or in what makes it right.
"""

# ruff: noqa: ANN001, ANN201 - written as a learner's tasks are

import functools
import os
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import redis
from django.db import OperationalError, connection, transaction
from django.db.models import F
from race_helpers import add

from atleastonce.settings import Settings
from atleastonce.shop.celery import app
from atleastonce.shop.models import Account, ChargeLog, MailLog, Order


@functools.cache
def store():
    return redis.Redis.from_url(Settings.from_env().addresses().redis_url(2))


@app.task
def deposit(pk, amount):
    account = Account.objects.get(pk=pk)
    account.balance += amount
    account.save()


# fmt: off
@app.task
def deposit_on_one_line(pk, amount):
    a = Account.objects.get(pk=pk); a.balance += amount; a.save()  # noqa: E702 - the case
# fmt: on


@app.task
def deposit_by_a_helper(pk, amount):
    add(pk, amount)


@app.task
def deposit_in_a_thread(pk, amount):
    thread = threading.Thread(target=add, args=(pk, amount))
    thread.start()
    thread.join()


@app.task
def count_in_an_executor():
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: store().incr("hits"), range(2)))


@app.task
def deposit_atomic(pk, amount):
    with transaction.atomic():
        account = Account.objects.get(pk=pk)
        account.balance += amount
        account.save()


@app.task
def deposit_by_f(pk, amount):
    account = Account.objects.get(pk=pk)
    account.balance = F("balance") + amount
    account.save()


@app.task
def deposit_locked(pk, amount):
    with transaction.atomic():
        account = Account.objects.select_for_update().get(pk=pk)
        account.balance += amount
        account.save()


@app.task
def deposit_advisory(pk, amount):
    with transaction.atomic():
        connection.cursor().execute("SELECT pg_advisory_xact_lock(7)")
        add(pk, amount)


@app.task
def deposit_serializable(pk, amount):
    for _ in range(5):
        try:
            with transaction.atomic():
                cursor = connection.cursor()
                cursor.execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
                account = Account.objects.get(pk=pk)
                account.balance += amount
                account.save()
        except OperationalError:
            continue
        return


@app.task(autoretry_for=(OperationalError,), max_retries=5, retry_backoff=False)
def deposit_serializable_retried(pk, amount):
    with transaction.atomic():
        connection.cursor().execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
        account = Account.objects.get(pk=pk)
        account.balance += amount
        account.save()


@app.task
def transfer(source, target, amount):
    with transaction.atomic():
        a = Account.objects.select_for_update().get(pk=source)
        b = Account.objects.select_for_update().get(pk=target)
        a.balance -= amount
        b.balance += amount
        a.save()
        b.save()


@app.task
def transfer_sorted(source, target, amount):
    with transaction.atomic():
        found = Account.objects.select_for_update().filter(pk__in=[source, target])
        rows = {row.pk: row for row in found.order_by("pk")}
        rows[source].balance -= amount
        rows[target].balance += amount
        rows[source].save()
        rows[target].save()


@app.task
def mail_once_by_check(email):
    if not MailLog.objects.filter(email=email).exists():
        MailLog.objects.create(email=email, subject="Paid")


@app.task
def mail_once_by_get_or_create(email):
    MailLog.objects.get_or_create(email=email, subject="Paid")


@app.task
def account_by_get_or_create(name):
    Account.objects.get_or_create(name=name)


@app.task
def count_by_get_and_set():
    seen = int(store().get("hits") or 0)
    store().set("hits", seen + 1)


@app.task
def count_by_incr():
    store().incr("hits")


@app.task
def count_locked():
    with store().lock("hits-lock"):
        seen = int(store().get("hits") or 0)
        store().set("hits", seen + 1)


@app.task
def count_spinning():
    while not store().set("hits-lock", 1, nx=True):
        time.sleep(0.05)
    seen = int(store().get("hits") or 0)
    store().set("hits", seen + 1)
    store().delete("hits-lock")


@app.task
def count_retrying():
    while not store().set("hits-lock", 1, nx=True):
        pass
    store().incr("hits")
    store().delete("hits-lock")


@app.task
def count_retrying_too_short():
    while not store().set("hits-lock", 1, nx=True):
        pass
    seen = int(store().get("hits") or 0)
    store().delete("hits-lock")
    store().set("hits", seen + 1)


@app.task
def pass_on(role):
    if role == "give":
        store().rpush("box", 1)
    elif store().blpop(["box"], timeout=20):
        store().incr("hits")


@app.task
def count_slowly():
    seen = int(store().get("hits") or 0)
    time.sleep(60)
    store().set("hits", seen + 1)


def charge_by_comprehension(pks):
    orders = [Order.objects.get(pk=pk) for pk in pks]
    return [ChargeLog.objects.create(order=order) for order in orders]


# What the instrument must find fault with.


def steps_by_chance():
    for _ in range(random.randrange(1, 9)):
        store().incr("hits")


def die():
    store().incr("hits")
    os._exit(3)


def never_end():
    while True:
        store().incr("hits")


def wait_for_nobody():
    while not store().get("never"):
        time.sleep(0.5)


def hold_back():
    store().incr("hits")
    threading.Event().wait()


def always_raise():
    store().incr("hits")
    raise ValueError("no")

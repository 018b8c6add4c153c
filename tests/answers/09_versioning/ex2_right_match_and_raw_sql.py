import json

from django.db import connection

from atleastonce.shop import payments

PARK = """
INSERT INTO shop_deadletter (key, task, args, error) VALUES (%s, %s, %s, %s)
ON CONFLICT (key) DO NOTHING
"""


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True, ignore_result=True)
def settle(self, payload):
    match payload:
        case {"version": 3, "money": {"cents": cents, "currency": "EUR" | "USD" as unit}}:
            amount = f"{cents // 100}.{cents % 100:02}"
        case {"version": 3, "money": {"currency": unit}}:
            return park(self, payload, f"{unit} is no currency of ours")
        case {"version": 2, "cents": cents}:
            amount, unit = f"{cents // 100}.{cents % 100:02}", "EUR"
        case {"version": newer}:
            return park(self, payload, f"version {newer}: sent by newer code")
        case {"amount": amount}:
            unit = "EUR"
    payments.charge(payload["customer"], amount, reference=unit, key=self.request.id)


def park(task, payload, error):
    row = [task.request.id, task.name, json.dumps([payload]), error]
    with connection.cursor() as cursor:
        cursor.execute(PARK, row)

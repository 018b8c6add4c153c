from datetime import timedelta
from uuid import uuid4

import redis
from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from atleastonce.shop.models import Claim, Member, Report, Tally

store = redis.Redis.from_url(settings.REDIS_URL)


def acquire(key, ttl):
    with transaction.atomic():
        Claim.objects.get_or_create(key=key)
        claim = Claim.objects.select_for_update().get(key=key)
        if Claim.objects.filter(pk=claim.pk, until__gt=Now()).exists():
            return None
        claim.owner = str(int(claim.owner or 0) + 1)
        claim.until = Now() + timedelta(seconds=ttl)
        claim.save()
    return int(claim.owner)


def release(key, token):
    with transaction.atomic():
        claim = Claim.objects.select_for_update().filter(key=key).first()
        if claim and claim.owner == str(token):
            Claim.objects.filter(pk=claim.pk).update(until=None)


def publish(key, token, body):
    with transaction.atomic():
        Report.objects.get_or_create(key=key)
        report = Report.objects.select_for_update().get(key=key)
        if report.token > token:
            return False
        report.body, report.token = body, token
        report.save()
        return True


def change_email(name, version, email):
    with transaction.atomic():
        member = Member.objects.select_for_update().get(name=name)
        if member.version < version:
            member.email, member.version = email, version
            member.save(update_fields=["email", "version"])

"""One table."""

from django.db import models


class Order(models.Model):
    """An order, and whether its customer was told that it is paid."""

    customer = models.EmailField()
    status = models.CharField(max_length=10, default="new")

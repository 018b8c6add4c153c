"""Django for the tests, which import the tasks."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webshop.settings")
django.setup()

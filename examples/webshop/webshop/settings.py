"""Settings that read variables with names of the project's own."""

import os

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "webshop.orders",
]
USE_TZ = True
SECRET_KEY = os.environ.get("SHOP_SECRET_KEY", "of a test")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": os.environ.get("SHOP_DB_NAME", "webshop"),
        "HOST": os.environ.get("SHOP_DB_HOST", "db.example.com"),
        "PORT": os.environ.get("SHOP_DB_PORT", "5432"),
        "USER": os.environ.get("SHOP_DB_USER", "webshop"),
        "PASSWORD": os.environ.get("SHOP_DB_PASSWORD", ""),
    }
}
EMAIL_HOST = os.environ.get("EMAIL_HOST", "localhost")
EMAIL_PORT = int(os.environ.get("EMAIL_PORT", "25"))
CELERY_BROKER_URL = os.environ.get("SHOP_BROKER", "redis://broker.example.com")
CELERY_RESULT_BACKEND = "redis://broker.example.com/1"
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True

"""The orders."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """One table."""

    initial = True
    operations = [
        migrations.CreateModel(
            name="Order",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("customer", models.EmailField(max_length=254)),
                ("status", models.CharField(default="new", max_length=10)),
            ],
        )
    ]

"""Claims: who works on something, until when."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("shop", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Claim",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("key", models.CharField(max_length=100, unique=True)),
                ("owner", models.CharField(blank=True, default="", max_length=100)),
                ("until", models.DateTimeField(blank=True, null=True)),
                ("done", models.BooleanField(default=False)),
            ],
        ),
    ]

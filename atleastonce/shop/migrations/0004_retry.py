"""What was given up, what is due later, and how often something was begun."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("shop", "0003_loss"),
    ]

    operations = [
        migrations.CreateModel(
            name="DeadLetter",
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
                ("task", models.CharField(max_length=200)),
                ("args", models.JSONField(default=list)),
                ("error", models.CharField(blank=True, default="", max_length=500)),
                ("replayed_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Scheduled",
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
                ("task", models.CharField(max_length=200)),
                ("args", models.JSONField(default=list)),
                ("due", models.DateTimeField()),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Tally",
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
                ("count", models.IntegerField(default=0)),
            ],
        ),
    ]

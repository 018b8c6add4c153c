"""``python -m atleastonce.shop.migrate``: bring the shop's database up to date.

Uses the lab of ``ATLEASTONCE_LAB_FILE``, or the database whose connection URL stands in
the file that ``--dsn-file`` names (in a file, because a command line is public).
"""

from __future__ import annotations

import argparse
from pathlib import Path

from django.core.management import call_command
from psycopg.conninfo import conninfo_to_dict

from atleastonce import shop
from atleastonce.settings import Addresses


def main() -> None:
    """Migrate the database; its own errors pass through."""
    parser = argparse.ArgumentParser(prog="python -m atleastonce.shop.migrate")
    parser.add_argument("--dsn-file", type=Path)
    file: Path | None = parser.parse_args().dsn_file
    shop.setup(addresses_in(file.read_text().strip()) if file else None)
    call_command("migrate", verbosity=0, interactive=False, skip_checks=True)


def addresses_in(dsn: str) -> Addresses:
    """Addresses of which only the database is known, from a libpq URL or string."""
    found = {name: str(value) for name, value in conninfo_to_dict(dsn).items()}
    return Addresses(
        folder="",
        events="",
        secret="only to migrate",  # noqa: S106 - Django wants one, nothing uses it
        postgres_host=found["host"],
        postgres_port=int(found.get("port", "5432")),
        postgres_user=found["user"],
        postgres_password=found.get("password", ""),
        postgres_db=found["dbname"],
    )


if __name__ == "__main__":
    main()

"""``python -m atleastonce.shop.migrate``: give the lab's database the shop's tables.

The address comes from ``ATLEASTONCE_LAB_FILE``: a command line is public.
"""

from __future__ import annotations

from django.core.management import call_command

from atleastonce import shop


def main() -> None:
    """Migrate the database; Django's and the server's errors pass through."""
    shop.setup()
    # Checks would connect once more, and Postgres templates are made while one waits.
    call_command("migrate", verbosity=0, interactive=False, skip_checks=True)


if __name__ == "__main__":
    main()

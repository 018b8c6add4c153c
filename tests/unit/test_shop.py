"""What the shop promises before any service runs."""

from __future__ import annotations

import subprocess
import sys

import pytest


def python(*argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *argv], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("loaded", ["django", "celery", "requests"])
def test_importing_the_shop_loads_nothing_of_size(loaded: str) -> None:
    code = f"import atleastonce.shop, sys; assert {loaded!r} not in sys.modules"
    done = python("-c", code)
    assert done.returncode == 0, done.stderr


def test_the_gateway_loads_nothing_of_the_shop() -> None:
    done = python(
        "-c",
        "import sys, atleastonce.shop.gateway.__main__;"
        "found = {'atleastonce.shop.' + n for n in ('models', 'settings', 'celery')};"
        "assert not found & set(sys.modules);"
        "assert not {'celery', 'psycopg', 'requests'} & set(sys.modules)",
    )
    assert done.returncode == 0, done.stderr


def test_the_migrations_are_those_of_the_models() -> None:
    code = (
        "from atleastonce import shop; shop.setup();"
        "from django.core.management import call_command;"
        "call_command('makemigrations', 'shop', check=True, dry_run=True)"
    )
    done = python("-W", "ignore", "-c", code)
    assert done.returncode == 0, done.stdout + done.stderr

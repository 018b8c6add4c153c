"""What the shop promises before any service runs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from atleastonce import shop

if TYPE_CHECKING:
    from collections.abc import Sequence


def python(*argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *argv], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("loaded", ["django", "celery", "requests"])
@pytest.mark.parametrize(
    "code",
    ["import atleastonce.shop", "from atleastonce import shop; shop.migrations_key()"],
)
def test_importing_the_shop_loads_nothing_of_size(code: str, loaded: str) -> None:
    done = python("-c", f"{code}; import sys; assert {loaded!r} not in sys.modules")
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


def test_the_migrations_key_changes_with_any_migration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shop.__file__).with_name("migrations")
    copied = tmp_path / "migrations"
    shutil.copytree(folder, copied, ignore=shutil.ignore_patterns("__pycache__"))
    before = shop.migrations_key()
    monkeypatch.setattr(shop, "__file__", str(tmp_path / "__init__.py"))
    assert shop.migrations_key() == before
    keys = {before, *_edited(sorted(copied.glob("*.py")))}
    assert len(keys) == 3


def _edited(files: Sequence[Path]) -> list[str]:
    keys = []
    files[0].write_text(files[0].read_text() + "# more\n")
    keys.append(shop.migrations_key())
    files[0].rename(files[0].with_name("0009_moved.py"))
    keys.append(shop.migrations_key())
    return keys

"""What holds for each recipe: one file, nothing of ours in it, and a proof."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from atleastonce.services.embedded import Embedded

ROOT = Path(__file__).parents[2]
RECIPES = sorted((ROOT / "recipes").glob("*.py"))
README = (ROOT / "recipes/README.md").read_text()
TESTS = {path.stem: path.read_text() for path in Path(__file__).parent.glob("test_*")}
#: What a recipe may import beside the standard library.
THEIRS = {"celery", "psycopg", "redis", "rq"}


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_it_is_one_file_that_imports_nothing_of_ours(path: Path) -> None:
    source = path.read_text()
    found = set(re.findall(r"^\s*(?:from|import) (\w+)", source, re.MULTILINE))
    ours = {other.stem for other in RECIPES} | {"atleastonce"}
    code = ast.unparse(ast.parse(source).body[1:])
    assert not found & ours
    assert "atleastonce" not in code
    assert len(source.splitlines()) <= 250


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_it_says_what_it_guarantees_what_not_how_to_use_it_and_the_price(
    path: Path,
) -> None:
    said = ast.get_docstring(ast.parse(path.read_text())) or ""
    for word in ("Guarantees", "Does not", "Use:", "esson"):
        assert word in said, word
    assert "Price" in path.read_text()


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_the_page_names_it_and_its_test(path: Path) -> None:
    assert f"[{path.name}]({path.name})" in README
    assert f"(../tests/recipes/test_{path.stem}.py)" in README
    assert f"test_{path.stem}" in TESTS


def test_each_wrong_variant_is_rejected_by_a_test(project: Path) -> None:
    assert project
    for wrong in importlib.import_module("planted").ALL:
        assert wrong.name in TESTS[f"test_{wrong.recipe}"], wrong.module


def refusals(project: Path) -> list[Callable[[psycopg.Connection[Any]], object]]:
    """Uses that need a transaction."""
    assert project
    names = ("celery_idempotent", "rq_idempotent", "outbox", "fenced_lock")
    one, two, three, four = (importlib.import_module(name) for name in names)
    return [
        lambda db: one.first(db, "k"),
        lambda db: two.first(db, "k"),
        lambda db: three.put(db, "topic", {}),
        lambda db: four.fence(db, "k", 1),
    ]


@pytest.mark.live
def test_what_needs_a_transaction_refuses_autocommit(
    services: Embedded, project: Path
) -> None:
    dsn = services.addresses.dsn()
    with psycopg.connect(dsn, autocommit=True) as db:
        for use in refusals(project):
            with pytest.raises(RuntimeError, match="autocommit is on"):
                use(db)


@pytest.mark.live
def test_the_oldest_message_of_the_outbox_has_an_age(
    services: Embedded, project: Path
) -> None:
    assert project
    outbox = importlib.import_module("outbox")
    with psycopg.connect(services.addresses.dsn()) as db:
        db.execute(outbox.TABLE)
        assert outbox.oldest(db) == 0.0
        outbox.put(db, "topic", {})
        db.execute("UPDATE outbox SET at = at - interval '90 s'")
        assert 90 <= outbox.oldest(db) < 150
        db.rollback()

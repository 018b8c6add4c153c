"""Each line of the configuration is Celery's, and names its lesson; struck."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import celery
import pytest
from celery.app.defaults import DEFAULTS

if TYPE_CHECKING:
    from atleastonce.explore.sweep import Sweep
    from atleastonce.services.embedded import Embedded
    from tests.recipes.conftest import Rig

ROOT = Path(__file__).parents[2]
SOURCE = (ROOT / "recipes/safe_celery.py").read_text()
SAFE = ModuleType("safe_celery")
exec(compile(SOURCE, "safe_celery.py", "exec"), vars(SAFE))  # noqa: S102 - as a project imports it
SETTINGS = {name: value for name, value in vars(SAFE).items() if name in DEFAULTS}
#: Seconds until a dead process is retried; ten in production.
AT_ONCE = {"task_annotations": {"*": {"default_retry_delay": 0}}}


def lines(source: str) -> dict[str, set[str]]:
    """The lessons that the comment above each setting or directive names."""
    text, found = source.splitlines(), {}
    for name, number in named(ast.parse(source)):
        last = number - 2
        while not text[last].lstrip().startswith("#"):  # two lines share a comment
            last -= 1
        first = last
        while text[first - 1].lstrip().startswith("#"):
            first -= 1
        comment = " ".join(text[first : last + 1])
        found[name] = set(re.findall(r"[Ll]esson (\d\d)", comment))
    return found


def named(tree: ast.Module) -> list[tuple[str, int]]:
    """Each name that is set, and each key of those that are dictionaries of many."""
    found = []
    for node in tree.body:
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        if isinstance(node.value, ast.Dict) and node.target.id != "task_annotations":
            keys = [key for key in node.value.keys if isinstance(key, ast.Constant)]
            found += [(str(key.value), key.lineno) for key in keys]
        else:
            found.append((node.target.id, node.lineno))
    return found


def lesson(number: str) -> str:
    """The cells of a lesson and of its solution."""
    (notebook,) = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    texts = []
    for path in (notebook, ROOT / "solutions" / notebook.name):
        cells = json.loads(path.read_text())["cells"]
        texts += ["".join(cell["source"]) for cell in cells]
    return "\n".join(texts)


#: What a line is called in its lesson, where that is not its own name.
CALLED = {
    "task_annotations": "default_retry_delay",
    "task_time_limit": "time_limit",
    "maxmemory-policy": "noeviction",
}


@pytest.mark.parametrize(("name", "lessons"), lines(SOURCE).items())
def test_a_line_names_lessons_that_are_about_it(name: str, lessons: set[str]) -> None:
    word = CALLED.get(name, name)
    assert lessons
    assert [number for number in lessons if word not in lesson(number)] == []


def test_celery_takes_it_as_a_configuration() -> None:
    app = celery.Celery("shop")
    app.config_from_object(SAFE)
    assert {name: app.conf[name] for name in SETTINGS} == SETTINGS
    set_here = {name for name, _ in named(ast.parse(SOURCE))}
    elsewhere = {*SAFE.ENVIRONMENT, *SAFE.REDIS, *SAFE.RABBITMQ}
    elsewhere |= SAFE.broker_transport_options.keys()
    assert set_here - elsewhere <= SETTINGS.keys()


def swept(rig: Rig, kill: str, **settings: object) -> Sweep:
    """A task without any option of its own, under these settings."""
    how = {"world": "charged", "settings": SETTINGS | AT_ONCE | settings, "kill": kill}
    return rig.sweep("celery_idempotent", "plain", 1, **how)


@pytest.mark.live
@pytest.mark.parametrize("kill", ["child", "worker"])
def test_a_task_is_done_once_whatever_dies(rig: Rig, kill: str) -> None:
    found = swept(rig, kill)
    assert found.ok, found


@pytest.mark.live
@pytest.mark.parametrize(
    ("line", "kill"),
    [("task_acks_late", "worker"), ("task_retry_on_worker_lost", "child")],
)
def test_without_a_line_it_is_lost(rig: Rig, line: str, kill: str) -> None:
    found = swept(rig, kill, **{line: False})
    assert found.outcomes["lost"], found


@pytest.mark.live
def test_a_killed_redis_keeps_its_queue(services: Embedded) -> None:
    kept = {}
    for name, directives in {"as it is": {}, "REDIS": SAFE.REDIS}.items():
        options = {key.replace("-", "_"): value for key, value in directives.items()}
        with services.redis.configured(**options):
            services.redis.client().rpush("celery", "a message")
            services.redis.crash()
            kept[name] = services.redis.client().llen("celery")
            services.redis.client().delete("celery")
    assert kept == {"as it is": 0, "REDIS": 1}

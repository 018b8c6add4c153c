"""Recipes turned wrong by one edit each; the test of a recipe must reject them.

Each is a mistake that somebody makes: the marker commits first, the ack comes first,
the look is not locked.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
RECIPES = HERE.parents[1] / "recipes"

MARKED = "    return db.execute(mark, [key]).rowcount == 1\n"


@dataclass(frozen=True)
class Planted:
    """One wrong variant.

    Attributes:
        recipe: the file, without its ending.
        name: what is wrong with the variant.
        old, new: the edit; *old* stands in the file once.
    """

    recipe: str
    name: str
    old: str
    new: str

    @property
    def module(self) -> str:
        """What the variant is imported as."""
        return f"{self.recipe}_{self.name}"

    def write(self, folder: Path) -> None:
        """Write the variant, and a copy of what uses the recipe that uses it."""
        source = (RECIPES / f"{self.recipe}.py").read_text()
        assert source.count(self.old) == 1, f"{self.name}: not once in {self.recipe}"
        (folder / f"{self.module}.py").write_text(source.replace(self.old, self.new))
        (user,) = (HERE / "project").glob(f"*_{self.recipe}.py")
        prefix = user.stem.removesuffix(self.recipe)
        wrong = user.read_text().replace(f"from {self.recipe}", f"from {self.module}")
        (folder / f"{prefix}{self.module}.py").write_text(wrong)


ALL = [
    Planted(
        "celery_idempotent",
        "marks_first",
        MARKED,
        "    new = db.execute(mark, [key]).rowcount == 1\n"
        "    db.commit()\n"
        "    return new\n",
    ),
    Planted(
        "celery_idempotent", "acks_first", '"acks_late": True', '"acks_late": False'
    ),
    Planted(
        "celery_idempotent",
        "never_marks",
        MARKED,
        "    return db.execute('SELECT 1 FROM done WHERE key = %s', [key]).rowcount == 0\n",
    ),
    Planted(
        "rq_idempotent",
        "marks_first",
        MARKED,
        "    new = db.execute(mark, [key]).rowcount == 1\n"
        "    db.commit()\n"
        "    return new\n",
    ),
    Planted("rq_idempotent", "never_again", ", retry=Retry(max=AGAIN))", ")"),
    Planted(
        "asyncio_consumer",
        "marks_first",
        "    return (await db.execute(mark, [key])).rowcount == 1\n",
        "    new = (await db.execute(mark, [key])).rowcount == 1\n"
        "    await db.commit()\n"
        "    return new\n",
    ),
    Planted(
        "asyncio_consumer",
        "acks_first",
        "        try:\n            await self._work(fields)\n",
        "        try:\n            await self._done(message)\n"
        "            await self._work(fields)\n",
    ),
    Planted(
        "asyncio_consumer", "gives_out_for_ever", "if deliveries > self.most", "if 0"
    ),
    Planted(
        "outbox",
        "deletes_first",
        "        publish(topic, payload, str(key))\n"
        '        db.execute("DELETE FROM outbox WHERE id = %s", [number])\n',
        '        db.execute("DELETE FROM outbox WHERE id = %s", [number])\n'
        "    publish(topic, payload, str(key))\n",
    ),
    Planted("outbox", "locks_nothing", "\nFOR UPDATE SKIP LOCKED", ""),
    Planted(
        "dead_letter",
        "counts_nobody",
        "        if self._begin(key) > self.deaths:\n",
        "        if False:\n",
    ),
    Planted(
        "dead_letter",
        "keeps_no_error",
        "        except Exception as error:\n"
        "            self._bury(key, args, kwargs, error)\n",
        "        except Exception as error:\n",
    ),
    Planted(
        "dead_letter",
        "marks_before_it_sends",
        "        app.send_task(task, json.loads(args), json.loads(kwargs), task_id=message)\n"
        '        mark = "UPDATE dead_letter SET replayed_at = clock_timestamp() WHERE '
        'key = %s"\n'
        "        db.execute(mark, [key])\n",
        '        mark = "UPDATE dead_letter SET replayed_at = clock_timestamp() WHERE '
        'key = %s"\n'
        "        db.execute(mark, [key])\n"
        "    app.send_task(task, json.loads(args), json.loads(kwargs), task_id=message)\n",
    ),
    Planted(
        "fenced_lock",
        "asks_nobody",
        "    if db.execute(mine, [key, token]).fetchone() is None:\n",
        "    if False:\n",
    ),
    Planted(
        "fenced_lock", "gives_one_token", "fenced_lock.token + 1", "fenced_lock.token"
    ),
    Planted(
        "fenced_lock",
        "never_ends",
        "WHERE fenced_lock.until <= clock_timestamp()\n",
        "WHERE fenced_lock.until = '-infinity'\n",
    ),
    Planted(
        "tolerant_payload",
        "drops_what_is_newer",
        "            db.execute(_PARK, [key, task, json.dumps(payload), str(reason)])\n",
        "",
    ),
    Planted(
        "tolerant_payload",
        "parks_once",
        "DO UPDATE SET reason = excluded.reason, unparked_at = NULL",
        "DO NOTHING",
    ),
    Planted(
        "tolerant_payload",
        "marks_before_it_sends",
        "        send(task, payload, key)\n"
        '        mark = "UPDATE parked SET unparked_at = clock_timestamp() WHERE '
        'key = %s"\n'
        "        db.execute(mark, [key])\n",
        '        mark = "UPDATE parked SET unparked_at = clock_timestamp() WHERE '
        'key = %s"\n'
        "        db.execute(mark, [key])\n"
        "    send(task, payload, key)\n",
    ),
]


def lay(folder: Path) -> None:
    """Make the project in *folder*: its own files, the recipes, the wrong variants."""
    for path in [*(HERE / "project").glob("*.py"), *RECIPES.glob("*.py")]:
        shutil.copy(path, folder)
    for wrong in ALL:
        wrong.write(folder)

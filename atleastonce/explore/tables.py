"""Put Postgres back to what it held at the start, table by table."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import sql

from atleastonce.errors import ExploreError

_COLUMNS = """
SELECT c.oid::regclass::text, array_agg(quote_ident(a.attname) ORDER BY a.attnum)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    AND NOT a.attisdropped AND a.attgenerated = ''
WHERE c.relkind = 'r' AND n.nspname = 'public' AND c.relname <> 'django_migrations'
GROUP BY 1 ORDER BY 1
"""
_SEQUENCES = """
SELECT c.oid::regclass::text, coalesce(d.refobjid::regclass::text, '') FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_depend d ON d.objid = c.oid AND d.deptype IN ('a', 'i')
    AND d.refclassid = 'pg_class'::regclass
WHERE c.relkind = 'S' AND n.nspname = 'public' ORDER BY 1
"""
#: Page and line of a table's last row, beyond which it gets a new file: well below the
#: 291 rows that fit a page of 8 KiB at most (MaxHeapTuplesPerPage).
LAST_PLACE = (0, 100)
#: Everyone else who has a transaction open, and may hold locks.
_OTHERS = """
SELECT format('session %s (%s): %s', pid, state, query) FROM pg_stat_activity
WHERE xact_start IS NOT NULL AND backend_type = 'client backend'
    AND pid <> pg_backend_pid() AND datname = current_database()
"""
_REFERENCES = """
SELECT confrelid::regclass::text, conrelid::regclass::text
FROM pg_constraint WHERE contype = 'f'
"""


class Tables:
    """The tables of schema ``public`` as they are now; ``restore`` brings that back.

    A table in which anything happened, a row lock or a rollback too, is emptied and
    filled again. DELETE is five times faster than TRUNCATE, but leaves dead rows
    behind; before these could fill a page, which would change plans, order of rows and
    predicate locks between two runs of one schedule, TRUNCATE starts with a new file.

    Args:
        dsn: a superuser's connection URL.
        patience: seconds to wait for someone else's lock.

    Raises:
        ExploreError: someone else holds a lock on a table for longer than that.
    """

    def __init__(self, dsn: str, patience: float) -> None:
        self._db: psycopg.Connection[tuple[Any, ...]] = psycopg.connect(
            dsn,
            autocommit=True,
            prepare_threshold=1,
            options=f"-c lock_timeout={int(1000 * patience)}",
        )
        try:
            self._remember()
        except BaseException:
            self.close()
            raise

    def _remember(self) -> None:
        self._columns: dict[str, list[str]] = dict(self._rows(_COLUMNS))
        self._owner: dict[str, str] = dict(self._rows(_SEQUENCES))
        self._referring: dict[str, set[str]] = {}
        for target, source in self._rows(_REFERENCES):
            self._referring.setdefault(target, set()).add(source)
        self._fill = {table: self._filling(table) for table in self._columns}
        self._reset = {name: self._resetting(name) for name in self._owner}
        self._look = self._looking()
        self._marks: dict[str, str] = {}
        self._replace(list(self._columns), "TRUNCATE")

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        return self._db.execute(query.encode()).fetchall()

    def _filling(self, table: str) -> str:
        """The statement that puts the rows of *table* back."""
        query = f"SELECT array_agg(t)::text FROM {table} t"  # noqa: S608 - names come quoted from the catalog
        (rows,) = self._rows(query)[0]
        if rows is None:
            return ""
        columns = ", ".join(self._columns[table])
        literal = sql.Literal(rows).as_string(self._db)
        words = ["INSERT INTO", table, f"({columns})", "OVERRIDING SYSTEM VALUE"]
        words += ["SELECT", columns, "FROM", f"unnest({literal}::{table}[])"]
        return " ".join(words)

    def _resetting(self, name: str) -> str:
        query = f"SELECT last_value, is_called FROM {name}"  # noqa: S608 - names come quoted from the catalog
        last, called = self._rows(query)[0]
        return f"SELECT setval('{name}', {last}, {called})"

    def _looking(self) -> str:
        """The query for each table's rows (versions, locks on them) and last place."""
        mark = "coalesce(string_agg(concat_ws(',', ctid, xmin, xmax), ';'), '')"
        last = "coalesce(max(ctid), '(0,0)')::text"
        rows = [f"SELECT '{t}', {mark}, {last} FROM {t}" for t in self._columns]  # noqa: S608 - likewise
        rows += [
            f"SELECT '{name}', concat(last_value, is_called), '(0,0)' FROM {name}"  # noqa: S608 - likewise
            for name in self._reset
        ]
        # Without any table there is still one row to fetch.
        return " UNION ALL ".join(rows or ["SELECT '', '', '(0,0)'"])

    def restore(self) -> None:
        """Put back what was changed since the last call."""
        now = {name: (mark, place) for name, mark, place in self._rows(self._look)}
        changed = {n for n, (mark, _) in now.items() if mark != self._marks.get(n)}
        named = {self._owner.get(name, name) for name in changed}
        tables = sorted(self._with_referring(named & self._columns.keys()))
        full = any(_place(now[table][1]) > LAST_PLACE for table in tables)
        if changed:
            self._replace(tables, "TRUNCATE" if full else "DELETE FROM")

    def _replace(self, tables: list[str], how: str) -> None:
        if how == "TRUNCATE":
            statements = [f"TRUNCATE {', '.join(tables)}"] if tables else []
        else:
            statements = [f"DELETE FROM {table}" for table in tables]  # noqa: S608 - names come quoted from the catalog
        statements += [self._fill[table] for table in tables if self._fill[table]]
        statements += self._reset.values()
        # The foreign keys hold for the whole; the order of the tables is anyone's.
        begin = "BEGIN; SET LOCAL session_replication_role = replica"
        script = "; ".join([begin, *statements, "COMMIT", self._look])
        try:
            cursor = self._db.execute(script.encode())
        except psycopg.errors.LockNotAvailable:
            raise self._locked() from None
        while cursor.nextset():
            pass
        self._marks = {name: mark for name, mark, _ in cursor.fetchall()}

    def _locked(self) -> ExploreError:
        self._db.execute("ROLLBACK")
        return ExploreError(
            "The world can't be put back: someone else holds a lock on it.",
            seen="; ".join(text for (text,) in self._rows(_OTHERS)),
            attempt="end that transaction, and search again",
        )

    def _with_referring(self, tables: set[str]) -> set[str]:
        """TRUNCATE wants the tables with a foreign key to these too."""
        new = set().union(*(self._referring.get(t, set()) for t in tables)) - tables
        return self._with_referring(tables | new) if new else tables

    def close(self) -> None:
        """Close the connection."""
        self._db.close()


def _place(ctid: str) -> tuple[int, int]:
    """Page and line of a row."""
    page, _, line = ctid.strip("()").partition(",")
    return int(page), int(line)

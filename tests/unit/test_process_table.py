"""Families of processes, as the reaper sees them."""

from __future__ import annotations

import os
import subprocess
import sys

from atleastonce.services.reaper import Row, family, lab_of, read_row, table


def row(pid: int, parent: int, group: int = 0, session: int = 0) -> Row:
    return Row(pid, "S", parent, group or pid, session or pid, started=1)


ROWS = {
    r.pid: r
    for r in [
        row(10, 1),
        row(11, 10, group=10, session=10),  # a child in its parent's group
        row(12, 10),  # a child with a session of its own, as Postgres makes them
        row(13, 12),
        row(14, 1, group=12),  # its parent ended, its group did not
        row(20, 1),
    ]
}


def test_a_family_is_the_descendants_and_everyone_in_their_groups() -> None:
    assert family([10], ROWS) == {10, 11, 12, 13, 14}
    assert family([12], ROWS) == {12, 13, 14}
    assert family([20], ROWS) == {20}


def test_the_group_of_a_leader_that_ended_is_still_its_family() -> None:
    rest = {pid: found for pid, found in ROWS.items() if pid != 10}
    assert family([10], rest) == {11, 12, 13, 14}


def test_nobody_is_the_family_of_nobody() -> None:
    assert family([], ROWS) == set()
    assert family([999], ROWS) == set()


def test_a_process_is_read_with_brackets_in_its_name_and_gone_as_a_zombie() -> None:
    code = "import os, sys; open('/proc/self/comm', 'w').write('a) R (b'); "
    code += "print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout
        child.stdout.readline()
        found = read_row(child.pid)
        assert found
        assert (found.pid, found.parent) == (child.pid, os.getpid())
        assert child.pid in table()
        assert os.getpid() not in table()
        assert child.stdin
        child.stdin.close()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert read_row(child.pid) is None
    assert read_row(child.pid) is None


def test_a_foreign_process_belongs_to_no_lab() -> None:
    assert lab_of(1) == ""
    assert lab_of(os.getpid()) == ""

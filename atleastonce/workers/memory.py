"""What the kernel says of one process's memory: ``/proc/<pid>/smaps_rollup``."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from atleastonce.errors import WorkerError

_KIB_IN_MIB = 1024.0


class Memory(NamedTuple):
    """One process, in MiB; see proc(5).

    Attributes:
        anonymous: its anonymous PSS: memory that no file is behind, such as every
            Python object; a page that n processes share counts 1/n for each.
        rss: its resident set: files and shared pages are counted whole.
        peak: the largest resident set since it was born.
    """

    anonymous: float
    rss: float
    peak: float


def memory(pid: int) -> Memory:
    """Read the memory of the process *pid*.

    Raises:
        WorkerError: it has ended, or this kernel does not say.
    """
    try:
        rows = _rows(f"/proc/{pid}/smaps_rollup") | _rows(f"/proc/{pid}/status")
        return Memory(*(rows[n] / _KIB_IN_MIB for n in ("Pss_Anon", "Rss", "VmHWM")))
    except (OSError, KeyError) as error:
        raise WorkerError(
            f"The memory of process {pid} can't be read.",
            seen=f"{type(error).__name__}: {error}",
            attempt="Linux 5.4 or later, and a process that lives",
        ) from error


def _rows(file: str) -> dict[str, int]:
    """The rows of *file* that are given in kB, which are KiB."""
    words = map(str.split, Path(file).read_text(errors="replace").splitlines())
    return {w[0].rstrip(":"): int(w[1]) for w in words if w[-1:] == ["kB"]}

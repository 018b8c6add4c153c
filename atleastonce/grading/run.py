"""Run a notebook under nbval in a folder and under limits of its own."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atleastonce.errors import GradingError
from atleastonce.grading import notebook as nb
from atleastonce.grading import sandbox
from atleastonce.scratch import scratch
from atleastonce.settings import Settings, inherited

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from atleastonce.grading.notebook import Notebook

#: nobody: the user that the services run as too, and that has an entry everywhere.
NOBODY = 65534
#: What a run inherits; tokens of a CI job are not among it.
KEPT = ("PATH", "LANG", "LC_ALL", "TZ", "VIRTUAL_ENV")
#: Modules beside a learner's notebook that come along: bytes of one file.
MOST_MODULE = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """What one run may use. Seconds and bytes.

    Attributes:
        cell: seconds for one cell.
        seconds: seconds for the whole run.
        cpu: CPU seconds of one process.
        memory: bytes of all its processes together.
        file_size: bytes of one file.
        processes: processes at one time.
    """

    cell: float = 30.0
    seconds: float = 300.0
    cpu: float = 300.0
    memory: int = 2 * 1024**3
    file_size: int = 256 * 1024**2
    processes: int = 100


@dataclass
class Ran:
    """What became of a run: the plugin's events, and the sandbox's result."""

    events: list[dict[str, Any]] = field(default_factory=list)
    stopped: str = ""
    log: str = ""

    @property
    def last(self) -> str:
        """The cell that was running when the run ended; "" when none was."""
        if self.events and self.events[-1]["event"] == "start":
            return str(self.events[-1]["cell"])
        return ""


def run(
    notebook: Notebook,
    name: str,
    *,
    limits: Limits,
    beside: Path | None = None,
    on_cell: Callable[[str], None] = lambda _: None,
) -> Ran:
    """Run *notebook* as ``<name>.ipynb`` and collect what its cells came to.

    Args:
        notebook: an overlay, or a part of one.
        name: the lab's stem.
        limits: what the run may use.
        beside: the learner's folder; its modules come along.
        on_cell: called with the id of each cell that starts.

    Raises:
        GradingError: pytest could not run it at all.
    """
    with _folder(beside) as (folder, user):
        path = folder / f"{name}.ipynb"
        path.write_text(nb.dumps(notebook))
        ran = _sandboxed(path, user, limits, on_cell)
    if not ran.events:
        raise GradingError(
            f"{name}: no cell ran.",
            seen=ran.stopped or ran.log[-500:],
            attempt="atleastonce doctor",
        )
    return ran


@contextmanager
def _folder(beside: Path | None) -> Iterator[tuple[Path, int | None]]:
    """A folder for one run, with the learner's modules, and the user to run as."""
    user = unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="atleastonce-grade-", dir=scratch()))
    try:
        # A lab of root's has services of nobody's in it: they must get through.
        folder.chmod(0o711)
        (folder / "home").mkdir()
        for module in sorted(beside.glob("*.py")) if beside else []:
            _copy(module, folder)
        if user is not None:
            for path in (folder, *folder.iterdir()):
                os.chown(path, user, user)
        yield folder, user
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy(module: Path, folder: Path) -> None:
    """Copy a file, but no link: it may lead to what only the grader may read."""
    try:
        fd = os.open(module, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return
    with open(fd, "rb") as source:  # noqa: PTH123 - of a descriptor
        status = os.fstat(fd)
        if stat.S_ISREG(status.st_mode) and status.st_size <= MOST_MODULE:
            (folder / module.name).write_bytes(source.read())


def unprivileged() -> int | None:
    """The user that a run of root's drops to; None when it stays who it is.

    It stays root where nobody can't reach our Python, such as below ``/root``.
    """
    if os.geteuid():
        return None
    try:
        subprocess.run(
            [sys.executable, "-I", "-c", "import atleastonce, nbval"],
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            capture_output=True,
            check=True,
            cwd="/",
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return NOBODY


def _environment(folder: Path, user: int | None) -> dict[str, str]:
    home = Settings.from_env().home if user is None else f"/var/tmp/atleastonce-{user}"  # noqa: S108 - the services make it, and look at its owner
    return inherited(KEPT) | {
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder),
        "ATLEASTONCE_HOME": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
        # Only the plugins of our command line: others cost time, and may differ.
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        # Away from the user's own configuration of IPython, Jupyter and matplotlib.
        "IPYTHONDIR": str(folder / "home"),
        "JUPYTER_RUNTIME_DIR": str(folder / "home"),
        "JUPYTER_CONFIG_DIR": str(folder / "home"),
        "MPLCONFIGDIR": str(folder / "home"),
    }


def _argv(path: Path, fd: int, limits: Limits) -> list[str]:
    # -P: a learner's module must not come before ours in pytest's own process.
    python = [sys.executable, "-P", "-m", "pytest", "-c", "/dev/null", "--noconftest"]
    plugins = ["fastimport", "kernel_start", "nbval_plugin"]
    loaded = [f"-patleastonce.grading.{plugin}" for plugin in plugins]
    loaded += ["-pnbval.plugin"]
    own = [f"--grading-fd={fd}", f"--rootdir={path.parent}", "-pno:cacheprovider"]
    # pytest lists every folder above, and the sandbox's user may not read them all.
    own += [f"--confcutdir={path.parent}"]
    nbval = ["--nbval", "--nbval-current-env", f"--nbval-cell-timeout={limits.cell}"]
    return [*python, *loaded, *own, *nbval, "-q", "--color=no", "--tb=line", str(path)]


def _sandboxed(
    path: Path, user: int | None, limits: Limits, on_cell: Callable[[str], None]
) -> Ran:
    reading, writing = os.pipe()
    log = path.with_suffix(".log")
    order = {
        **vars(limits),
        "argv": _argv(path, writing, limits),
        "env": _environment(path.parent, user),
        "cwd": str(path.parent),
        "user": user,
        "fds": [writing],
        "log": str(log),
    }
    with _started(writing) as process:
        os.close(writing)
        if process.stdin:
            process.stdin.write(json.dumps(order).encode() + b"\n")
            process.stdin.flush()
        ran = Ran(_events(reading, on_cell))
        out = process.stdout.read() if process.stdout else b""
    ran.log = log.read_text(errors="replace") if log.exists() else ""
    ran.stopped = json.loads(out)["stopped"] if out else "interrupted"
    return ran


@contextmanager
def _started(writing: int) -> Iterator[subprocess.Popen[bytes]]:
    """The sandbox, which has ended when this ends, Ctrl-C or not."""
    with subprocess.Popen(
        [sys.executable, "-I", "-S", sandbox.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=[writing],
        # A cell of the same user can read the environment of any process.
        env={},
    ) as process:
        try:
            yield process
        finally:
            # After Ctrl-C, Popen itself waits for a quarter of a second only.
            if process.stdin:
                process.stdin.close()
            process.wait()


def _events(fd: int, on_cell: Callable[[str], None]) -> list[dict[str, Any]]:
    """The plugin's events, until the last process that could write one is gone."""
    found = []
    with os.fdopen(fd, encoding="utf-8") as lines:
        for line in lines:
            # A line that its writer's death cut short tells nothing.
            if line.endswith("\n"):
                found.append(json.loads(line))
                if found[-1]["event"] == "start":
                    on_cell(found[-1]["cell"])
    return found

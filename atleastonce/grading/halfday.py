"""The half-day path: 240 minutes for a team, and how far this clone is on it.

``docs/workshop.md`` has the presenter's notes; a test keeps its times equal to these.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from atleastonce import course
from atleastonce import marks as kept
from atleastonce.grading import notebook as nb
from atleastonce.grading.progress import passed


@dataclass(frozen=True)
class Step:
    """One stretch of the half day.

    Attributes:
        minutes: how long it takes.
        place: the file to open, from the clone's folder; "" for a break.
        part: what of that file: sections or an exercise.
        lab: the exercise to be solved here, such as ``01_duplicates ex1``.
        catch_up: what somebody does who is behind.
    """

    minutes: int
    title: str
    place: str = ""
    part: str = ""
    lab: str = ""
    catch_up: str = ""


STEPS: tuple[Step, ...] = (
    Step(
        15,
        "The life of a message",
        place="notebooks/00_start_here.ipynb",
        part=(
            'from the top to "At every point" (cell sweeps); skip "In '
            'every order" and all below'
        ),
        catch_up=(
            "read the stored outputs of side-by-side and sweeps and go "
            "on: the next step needs nothing of this one"
        ),
    ),
    Step(
        25,
        "Charged twice",
        place="notebooks/01_duplicates.ipynb",
        part=(
            'from the top to "Let the other side remember" (cell '
            "key-sweep), then cells credit, credit-two, credit-one of "
            '"The other remedies, struck"'
        ),
        catch_up=(
            "read the stored outputs of struck, log-sweep, key-sweep and "
            "credit-one: the lab starts afresh"
        ),
    ),
    Step(
        30,
        "Charge once: exercises 1 and 2",
        place="labs/01_duplicates.ipynb",
        part=(
            '"Exercise 1 (core): one charge per order", then "Exercise 2 '
            '(core): a credit, applied once"'
        ),
        lab="01_duplicates ex1 ex2",
        catch_up=(
            "stuck in your own code: atleastonce reset 01 1; out of time: "
            "atleastonce commentary 01 1 --anyway; nothing later needs it"
        ),
    ),
    Step(
        10,
        "Break",
        catch_up="shut down all kernels: Kernel, Shut Down All Kernels",
    ),
    Step(
        20,
        "Accepted, and never done",
        place="notebooks/02_loss.ipynb",
        part=(
            'from the top to "A rollout" (cell remap), without prefetched '
            "and prefetched-killed"
        ),
        catch_up=("read the stored outputs of deaths and remap: the lab starts afresh"),
    ),
    Step(
        35,
        "Survive a rollout",
        place="labs/02_loss.ipynb",
        part='"Exercise 1 (core): survive a rollout"',
        lab="02_loss ex1",
        catch_up=(
            "stuck in your own code: atleastonce reset 02 1; out of time: "
            "atleastonce commentary 02 1 --anyway; nothing later needs it"
        ),
    ),
    Step(
        15,
        "Poison",
        place="notebooks/03_infinite_retry.ipynb",
        part=(
            'the table of "Three ways back"; cells setup, begin, sent; '
            'then "The way back that nobody counts" (poison to '
            "counted-run)"
        ),
        catch_up=(
            "read the stored outputs of poison-table and counted-run: the "
            "lab starts afresh"
        ),
    ),
    Step(
        20,
        "Quarantine",
        place="labs/03_infinite_retry.ipynb",
        part=(
            '"Exercise 2 (core): quarantine", after cells setup, helper, '
            "scenes; invoice first, replay for who is done"
        ),
        lab="03_infinite_retry ex2",
        catch_up=(
            "stuck in your own code: atleastonce reset 03 2; out of time: "
            "atleastonce commentary 03 2 --anyway; nothing later needs it"
        ),
    ),
    Step(
        10,
        "Break",
        catch_up=(
            "open notebooks/08_silent_failure.ipynb, select the heading "
            '"A monitor that counts the wrong thing", then Run, Run All '
            "Above Selected Cell"
        ),
    ),
    Step(
        25,
        "Backlog and canary",
        place="notebooks/08_silent_failure.ipynb",
        part=(
            '"A monitor that counts the wrong thing", "How much waits, '
            'and for how long" (without rabbit-depth), "Which alarm, in '
            'which night"'
        ),
        catch_up=(
            "read the stored outputs of stuck-read, redis-depth and "
            "moved-table: the next step needs nothing of this one"
        ),
    ),
    Step(
        25,
        "A sweep of your own task",
        place="docs/your-own-project.md",
        part=(
            'the example shopless, "What you write", "Exit codes"; atleastonce sweep'
        ),
        catch_up=(
            "stay in examples/shopless and mend charge in "
            "shopless/tasks.py until the sweep exits with 0"
        ),
    ),
    Step(
        10,
        "Debrief",
        catch_up="none needed: everybody can answer from their own project",
    ),
)


def rows() -> list[dict[str, Any]]:
    """Each step as plain data, with its ``start`` in minutes and its ``state``."""
    marks, start, found = kept.load(), 0, []
    for step in STEPS:
        state = _state(step, marks)
        found.append({"start": start, **asdict(step), "state": state})
        start += step.minutes
    return found


def clock(minutes: int) -> str:
    """Minutes from the start as ``1:05``."""
    return f"{minutes // 60}:{minutes % 60:02d}"


def _state(step: Step, marks: dict[str, Any]) -> str:
    """``done``, ``open``, or "" where nothing is recorded, as for a break."""
    if step.lab:
        return "done" if _solved(step.lab) else "open"
    if not step.place.startswith("notebooks/"):
        return ""
    stem = step.place.removeprefix("notebooks/").removesuffix(".ipynb")
    return "done" if marks["lessons"].get(stem) else "open"


def _solved(lab: str) -> bool:
    """Every check of the exercises that *lab* names passed when graded last."""
    stem, *exercises = lab.split()
    solution = nb.read(course.find(stem, "solutions"))
    return {nb.exercise_of(ex) for ex in exercises} <= passed(stem, solution)

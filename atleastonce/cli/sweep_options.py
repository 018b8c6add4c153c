"""The options of ``sweep``: what each is called for in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from typer import Argument, Option

Task = Annotated[str, Argument(help="The task, as module:name.")]
App = Annotated[str, Option(help="Its Celery app, as celery -A takes it.")]
World = Annotated[str, Option(help="Function: what an outcome is judged by, a dict.")]
Args = Annotated[str, Option(help="The task's arguments: an array in JSON.")]
Kwargs = Annotated[str, Option(help="Likewise: an object in JSON.")]
Setup = Annotated[str, Option(help="Function: makes tables and rows; called once.")]
Reset = Annotated[str, Option(help="Function: the rest; called before every run.")]
Kill = Annotated[Literal["child", "worker"], Option(help="What a kill hits.")]
Fault = Annotated[
    Literal["kill", "term", "soft limit", "lose reply", "cut"],
    Option(help="What strikes."),
]
Attempt = Annotated[
    list[int] | None, Option(min=1, help="Which attempt is struck; may be repeated.")
]
Stuck = Annotated[
    list[str] | None, Option(help="Name in the world: more of it waits for nobody.")
]
File = Annotated[
    list[Path] | None, Option(help="Whose lines are points, in place of the task's.")
]
Setting = Annotated[
    list[str] | None, Option(help="Celery setting of the workers: key=value.")
]
Env = Annotated[list[str] | None, Option(help="A variable, as MY_BROKER='{redis}'.")]
Allow = Annotated[
    list[str] | None, Option(help="host:port that may be connected to as well.")
]
Timeout = Annotated[float, Option(min=0.1, help="Seconds until a run must be over.")]
Html = Annotated[Path | None, Option(help="Write the table here, as a page.")]

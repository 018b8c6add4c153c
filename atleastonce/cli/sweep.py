"""The verb ``sweep``: a crash sweep of a task of one's own project."""

from __future__ import annotations

import json as jsonlib
import os
import sys
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.text import Text

from atleastonce.cli import sweep_options as options
from atleastonce.cli.base import Json, app, err, print_json
from atleastonce.errors import ProjectError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atleastonce.own.calls import Found, Opening, Request

#: By verdict; 2 is also any error, and a command line that can't be understood.
EXIT = {"pass": 0, "fail": 1, "unknown": 2}
#: What a shell gives to a command that Ctrl-C has ended.
INTERRUPTED = 130
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>
<body><h1>{title}</h1>{body}</body></html>
"""


@app.command()
def sweep(  # noqa: PLR0913 - every option of the instrument
    task: options.Task,
    *,
    app: options.App,
    world: options.World,
    args: options.Args = "[]",
    kwargs: options.Kwargs = "{}",
    setup: options.Setup = "",
    reset: options.Reset = "",
    kill: options.Kill = "child",
    fault: options.Fault = "kill",
    attempt: options.Attempt = None,
    stuck: options.Stuck = None,
    file: options.File = None,
    setting: options.Setting = None,
    env: options.Env = None,
    allow: options.Allow = None,
    timeout: options.Timeout = 20,
    html: options.Html = None,
    json: Json = False,
) -> None:
    """Kill a task of your project at every point, on throw-away services.

    Such as: atleastonce sweep shopless.tasks:charge --app shopless.celery:app
    --args '[1]' --setup shopless.checks:start --world shopless.checks:world

    Redis, Postgres, a mail catcher and a payment gateway start, all empty. Your
    project finds them in CELERY_BROKER_URL, DATABASE_URL and so on, or in
    variables of its own (--env), and can connect to nothing else.

    Exit code 0: the work was done once, wherever it was struck. 1: it was not.
    2: nothing can be concluded, or it could not be run. 130: Ctrl-C.
    """
    how = {
        "world": world,
        "setup": setup,
        "reset": reset,
        "kill": kill,
        "fault": fault,
        "attempt": tuple(attempt or [1]),
        "stuck": tuple(stuck or []),
        "files": tuple(map(str, file or [])),
        "settings": _settings(setting or []),
        "timeout": timeout,
    }
    _check(html)
    wanted = _request(task, args, kwargs, how)
    found = _found(_opening(app, env or [], allow or []), wanted)
    _show(found, f"Sweep of {task}", html, json=json)
    raise typer.Exit(EXIT[found.verdict])


def _check(page: Path | None) -> None:
    """Refuse a page that can't be written before the sweep, which takes a while."""
    if not page:
        return
    if not page.parent.is_dir():
        why, attempt = "its folder is not there", f"mkdir -p {page.parent}"
    elif page.is_dir() or not os.access(page.parent, os.W_OK):
        why, attempt = "it can't be written there", "--html sweep.html"
    else:
        return
    raise ProjectError(f"--html {page}: {why}.", attempt=attempt)


def _show(found: Found, title: str, page: Path | None, *, json: bool) -> None:
    if json:
        print_json(found.data)
    else:
        sys.stdout.write(f"{found.text}\n")
    # Last: what takes a while to find must not be lost with the page.
    if page:
        text = PAGE.format(title=escape(title), body=found.html)
        page.write_text(text, encoding="utf-8")


def _request(task: str, args: str, kwargs: str, how: dict[str, Any]) -> Request:
    from atleastonce.own.calls import (  # noqa: PLC0415 - only this verb needs it
        FUNCTIONS,
        Call,
        Named,
        Request,
    )

    given = Call(
        Named(task),
        tuple(_json("--args", args, list, "'[1]'")),
        _json("--kwargs", kwargs, dict, """'{"order_id": 1}'"""),
        task=True,
    )
    named = {
        name: Named(value) if name in FUNCTIONS else value
        for name, value in how.items()
        if value != ""
    }
    return Request("crash_sweep", (given,), named)


def _json(option: str, text: str, kind: type, example: str) -> Any:  # noqa: ANN401 - any JSON
    try:
        found = jsonlib.loads(text)
    except ValueError as error:
        found, seen = None, f"{text}: {error}"
    else:
        seen = text
    if not isinstance(found, kind):
        what = "an array" if kind is list else "an object"
        raise ProjectError(
            f"{option} must be {what} in JSON.",
            seen=seen,
            attempt=f"{option} {example}",
        )
    return found


def _settings(lines: Sequence[str]) -> dict[str, object]:
    """Values are JSON where they can be, and texts where not."""
    found: dict[str, object] = {}
    for line in lines:
        name, equals, value = line.partition("=")
        if not equals:
            raise ProjectError(
                f"--setting {line} is not key=value.",
                attempt="--setting task_acks_late=true",
            )
        try:
            found[name] = jsonlib.loads(value)
        except ValueError:
            found[name] = value
    return found


def _opening(app: str, env: Sequence[str], allow: Sequence[str]) -> Opening:
    from atleastonce.own import exports  # noqa: PLC0415 - only this verb needs it
    from atleastonce.own.calls import Opening  # noqa: PLC0415 - likewise

    return Opening(app, str(Path.cwd()), (), exports.parsed(env), tuple(allow))


def _found(opening: Opening, wanted: Request) -> Found:
    """What the sweep finds; the project and all services are gone on return."""
    from atleastonce.own.client import Client  # noqa: PLC0415 - only this verb needs it

    try:
        with err.status("Starting Redis, Postgres, mail and the gateway"):
            client = Client(opening)
        with client:
            names = ", ".join(client.exported)
            err.print(Text(f"Set for your project: {names}.", style="dim"))
            found = client.find(wanted)
    except KeyboardInterrupt:
        err.print("Interrupted; the throw-away services are gone.")
        raise typer.Exit(INTERRUPTED) from None
    for place in found.refused:
        err.print(Text(f"Refused: a connection to {place}.", style="yellow"))
    return found

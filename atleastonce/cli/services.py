"""The verbs about live services: ``services``, ``up`` and ``down``."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from atleastonce.addresses import Addresses
from atleastonce.cli.base import Json, app, err, out, print_json
from atleastonce.scratch import places, scratch
from atleastonce.settings import Settings
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from atleastonce.services.labs import RunningLab


@app.command()
def services(*, json: Json = False) -> None:
    """List the services that run now, and the lab each belongs to."""
    from atleastonce.services.labs import running  # noqa: PLC0415 - reads /proc

    labs = running()
    if json:
        print_json([_as_dict(lab) for lab in labs])
    elif labs:
        out.print(_table(labs))
    else:
        out.print("No services run.")
    if not json and any(not lab.alive for lab in labs):
        out.print(Text("Try: atleastonce down", style="bold"))


def _as_dict(lab: RunningLab) -> dict[str, Any]:
    return {**vars(lab), "folder": str(lab.folder)}


def _table(labs: list[RunningLab]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for head in ("lab", "owner", "processes", "ports on 127.0.0.1"):
        table.add_column(head, overflow="fold")
    for lab in labs:
        owner = f"process {lab.owner}" if lab.alive else "ended: left over"
        ports = ", ".join(f"{name} {port}" for name, port in lab.ports.items())
        style = "" if lab.alive else "yellow"
        table.add_row(lab.stem or "?", owner, str(lab.processes), ports, style=style)
    return table


@app.command()
def up(
    *,
    show_secrets: Annotated[
        bool, typer.Option("--show-secrets", help="Print passwords too.")
    ] = False,
    json: Json = False,
) -> None:
    """Start all services, to look at from a terminal; RabbitMQ where it is installed.

    They stay until ``atleastonce down``. A second ``up`` prints the first one's.
    """
    from atleastonce import keeper  # noqa: PLC0415 - only this verb needs it

    already = _ours()
    if already:
        lab_file = already[0].folder / "lab.json"
    else:
        with err.status("Starting the services"):
            lab_file = keeper.start()
    rows = _connections(Addresses.load(lab_file), secrets=show_secrets)
    if json:
        print_json({"lab_file": str(lab_file), "services": rows})
    else:
        _show(rows, lab_file, secrets=show_secrets)


@app.command()
def down(*, json: Json = False) -> None:
    """Stop what ``up`` started, and what is left of labs whose notebook is gone.

    The services of open notebooks stay.
    """
    from atleastonce.services.labs import stop_leftovers  # noqa: PLC0415 - reads /proc

    stopped = _ours()
    for lab in stopped:
        os.kill(lab.owner, signal.SIGTERM)
    if stopped:
        wait_until(lambda: not _ours(), timeout=20, what="the services to stop")
    stopped += stop_leftovers()
    if json:
        print_json([_as_dict(lab) for lab in stopped])
    elif stopped:
        out.print(
            f"Stopped: {', '.join(lab.stem or 'a left-over' for lab in stopped)}."
        )
    else:
        out.print("Nothing to stop.")


def _ours() -> list[RunningLab]:
    """What ``up`` started, if it runs; with ``TMPDIR``, what it started there."""
    from atleastonce.keeper import STEM  # noqa: PLC0415 - only these verbs need it
    from atleastonce.services.labs import running  # noqa: PLC0415 - reads /proc

    here = [scratch()] if Settings.from_env().tmpdir else places()
    ours = [lab for lab in running() if lab.stem == STEM and lab.alive]
    return [lab for lab in ours if lab.folder.parent in here]


def _connections(at: Addresses, *, secrets: bool) -> dict[str, dict[str, str]]:
    """Where each service is, and a command that talks to it."""
    hidden = replace(at, redis_password="", rabbitmq_password="", secret="…")  # noqa: S106 - hides one
    shown = at if secrets else hidden
    redis, postgres, rabbitmq = shown.redis_url(), shown.dsn(), shown.rabbitmq_url()
    if not secrets:
        postgres = postgres.replace(f":{at.postgres_password}@", "@")
        rabbitmq = rabbitmq.replace(":@", "@")
    curl = f"curl -H 'X-Lab-Secret: {shown.secret}'"
    get = f"celery -b {rabbitmq} amqp basic.get celery"
    return {
        **({"rabbitmq": {"url": rabbitmq, "try": get}} if at.rabbitmq_port else {}),
        "redis": {"url": redis, "try": f"redis-cli -u {redis}"},
        "postgres": {"url": postgres, "try": f"psql {postgres}"},
        "mail": {
            "url": f"smtp://{at.smtp_host}:{at.smtp_port}",
            "try": f"{curl} {at.mail_url}/messages",
        },
        "gateway": {
            "url": at.gateway_url,
            "try": f"{curl} {at.gateway_url}/charges",
        },
    }


def _show(rows: dict[str, dict[str, str]], lab_file: Path, *, secrets: bool) -> None:
    table = Table.grid(padding=(0, 2))
    for name, row in rows.items():
        table.add_row(Text(name, style="bold"), row["url"])
        table.add_row("", Text(row["try"], style="dim"))
    out.print(table, soft_wrap=True)
    if not secrets:
        out.print("Passwords: atleastonce up --show-secrets")
    out.print(f"A worker of yours: ATLEASTONCE_LAB_FILE={lab_file}", soft_wrap=True)
    out.print("  celery -A atleastonce.shop.celery worker", soft_wrap=True)
    out.print("Stop them: atleastonce down")

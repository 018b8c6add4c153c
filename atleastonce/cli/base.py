"""What all verbs share: the app, the two consoles, and how a failure is told.

Exit codes: 0 done; 1 done, and the answer is no; 2 could not be done, with a ``Try:``.
"""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from atleastonce.errors import AtLeastOnceError

if TYPE_CHECKING:
    from collections.abc import Iterator

app = typer.Typer(
    name="atleastonce",
    help="At Least Once: the ten ways background tasks fail, struck on demand.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

#: What was asked for goes to ``out``; progress and failures go to ``err``.
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

Json = Annotated[bool, typer.Option("--json", help="Print JSON for a machine.")]


def print_json(value: Any) -> None:  # noqa: ANN401 - whatever JSON can hold
    """Print *value* as JSON: indented, and never wrapped or coloured."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


@contextmanager
def explained() -> Iterator[None]:
    """Print what failed on purpose in its own words, and exit with 2."""
    try:
        yield
    except AtLeastOnceError as error:
        what, *rest = str(error).splitlines()
        err.print(Text(what, style="bold red"))
        for line in rest:
            err.print(Text(line, style="bold" if line.startswith("Try: ") else ""))
        sys.exit(2)


def main() -> None:
    """Run the command line of the course."""
    with explained():
        app()

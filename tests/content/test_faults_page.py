"""``docs/faults.md`` says what the docstrings of ``faults.py`` say.

``python tests/content/test_faults_page.py`` writes it anew.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING

from atleastonce import faults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAGE = Path(__file__).parents[2] / "docs" / "faults.md"
VERBS = [
    *(faults.kill, faults.term, faults.freeze),
    *(faults.soft_limit, faults.lose_reply, faults.cut),
]
EXAMPLES = [
    'kill(after="charge")',
    'kill("worker", before="order.save()")',
    "kill(before=7, attempt=2)",
    'kill("worker", after="delivered")',
    'kill(after="returned")',
    'kill(after="stored")',
    'term(after="charge")',
    'freeze(before="commit")',
    "soft_limit(after=7)",
    'lose_reply("charge")',
    'lose_reply("publish")',
    'cut("mail")',
]
OPENING = """\
# Faults

<!-- Made from the docstrings of atleastonce/faults.py; do not edit it here:
     python tests/content/test_faults_page.py -->

```python
from atleastonce import kill

with lab.strike(kill(after="charge")):
    charge_order.delay(1)
```
"""
CLOSING = "Each is an error, and no result, if it did not strike.\n"


def page() -> str:
    """The whole page."""
    parts = [OPENING, _prose(faults), _examples(), CLOSING]
    return "\n".join([*parts, *(_verb(verb) for verb in VERBS)])


def _prose(described: object) -> str:
    """A docstring as Markdown."""
    return (inspect.getdoc(described) or "").replace("``", "`") + "\n"


def _examples() -> str:
    rows = [f"| `{text}` | {eval(text, vars(faults)).text} |" for text in EXAMPLES]  # noqa: S307 - the list above
    return "\n".join(["| fault | the timeline says |", "| --- | --- |", *rows, ""])


def _verb(verb: Callable[..., faults.Fault]) -> str:
    return f"## `{verb.__name__}{_signature(verb)}`\n\n" + "\n".join(_told(verb))


def _signature(verb: Callable[..., faults.Fault]) -> inspect.Signature:
    """Without types."""
    found, empty = inspect.signature(verb), inspect.Signature.empty
    bare = [p.replace(annotation=empty) for p in found.parameters.values()]
    return inspect.Signature(bare)


def _told(verb: object) -> Iterator[str]:
    """The lines of a docstring, its sections as lists."""
    for line in _prose(verb).splitlines():
        title = re.fullmatch(r"(Args|Raises):", line)
        entry = re.fullmatch(r" {4}(\w+): (.*)", line)
        if title:
            yield from ("Arguments:" if title[1] == "Args" else "Raises:", "")
        elif entry:
            yield f"- `{entry[1]}`: {entry[2]}"
        else:
            yield re.sub(r"^ {8}", "  ", line)
    yield ""


def test_it_is_what_the_docstrings_say() -> None:
    assert PAGE.read_text() == page(), f"write it anew: python {Path(__file__).name}"


def test_it_has_every_fault_there_is() -> None:
    public = {
        name
        for name, found in vars(faults).items()
        if getattr(found, "__module__", "") == faults.__name__
        and inspect.isfunction(found)
        and not name.startswith("_")
    }
    assert {verb.__name__ for verb in VERBS} == public


if __name__ == "__main__":
    PAGE.write_text(page())

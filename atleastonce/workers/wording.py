"""How a published message reads on the timeline, and when it is due."""

from __future__ import annotations

import ast
import re
from datetime import UTC, datetime
from typing import Any

#: A free port differs from run to run.
_PORT = re.compile(r"(//127\.0\.0\.1):\d+")


def called(headers: dict[str, Any]) -> str:
    """Such as ``charge_order(1)``, from a task message's headers (protocol 2)."""
    name = headers["task"].rpartition(".")[2]
    args = str(headers.get("argsrepr") or "()").strip()
    inner = args[1:-1].rstrip(",") if args[:1] in "([" else args
    words = [inner, _named(str(headers.get("kwargsrepr") or "{}"))]
    told = ", ".join(word for word in words if word)
    return _PORT.sub(r"\1", f"{name}({told})")


def _named(kwargs: str) -> str:
    """``{'amount': 3}`` as ``amount=3``; as it is where Celery cut it short."""
    try:
        found = ast.literal_eval(kwargs)
    except (ValueError, SyntaxError):
        return f"**{kwargs}"
    return ", ".join(f"{key}={value!r}" for key, value in found.items())


def due(headers: dict[str, Any]) -> dict[str, float]:
    """The seconds until a message that is published now may run, if it has an ETA."""
    eta = headers.get("eta")
    if not eta:
        return {}
    left = datetime.fromisoformat(eta) - datetime.now(UTC)
    return {"countdown": left.total_seconds()}

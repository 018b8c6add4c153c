"""How a published message reads on the timeline. Pure."""

from __future__ import annotations

import ast
from typing import Any


def called(headers: dict[str, Any]) -> str:
    """Such as ``charge_order(1)``, from a task message's headers (protocol 2)."""
    name = headers["task"].rpartition(".")[2]
    args = str(headers.get("argsrepr") or "()").strip()
    inner = args[1:-1].rstrip(",") if args[:1] in "([" else args
    words = [inner, _named(str(headers.get("kwargsrepr") or "{}"))]
    return f"{name}({', '.join(word for word in words if word)})"


def _named(kwargs: str) -> str:
    """``{'amount': 3}`` as ``amount=3``; as it is where Celery cut it short."""
    try:
        found = ast.literal_eval(kwargs)
    except (ValueError, SyntaxError):
        return f"**{kwargs}"
    return ", ".join(f"{key}={value!r}" for key, value in found.items())

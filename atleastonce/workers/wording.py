"""How a published message reads on the timeline. Pure."""

from __future__ import annotations

from typing import Any


def called(headers: dict[str, Any]) -> str:
    """Such as ``charge_order(1)``, from a task message's headers (protocol 2)."""
    name = headers["task"].rpartition(".")[2]
    args = str(headers.get("argsrepr") or "()").strip()
    inner = args[1:-1].rstrip(",") if args[:1] in "([" else args
    more = str(headers.get("kwargsrepr") or "{}")
    words = [word for word in (inner, more if more != "{}" else "") if word]
    return f"{name}({', '.join(words)})"

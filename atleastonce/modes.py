"""What can't be struck in which mode, and why.

Only the container with JupyterLab has such limits: a socket of Docker's engine in it
would be root on the host. What it does to a service, it does by the service's protocol.
"""

from __future__ import annotations

_BACK = "its supervisor starts it again at once, and that can't be reached from here"
_STILL = "no command of its protocol has it stand still until another one ends it"
_CLOSED = "its protocol has no command for it, and Docker can't be reached from here"

#: In the mode ``course``, by service and verb.
_REASONS = {
    "redis": {"stop": _BACK, "freeze": _STILL},
    "second-redis": {"stop": _BACK, "freeze": _STILL},
    "postgres": {"stop": _BACK, "freeze": _STILL},
    "rabbitmq": {"stop": _BACK, "freeze": _STILL},
    "mail": dict.fromkeys(("crash", "restart", "stop", "freeze"), _CLOSED),
    "gateway": dict.fromkeys(("crash", "restart", "stop", "freeze"), _CLOSED),
}


def why_not(mode: str, service: str, verb: str) -> str:
    """Why *verb* can't be done to *service* in *mode*; "" when it can."""
    return _REASONS[service].get(verb, "") if mode == "course" else ""


def known(need: str) -> bool:
    """True for a service's verb that some mode lacks, such as ``redis.freeze``."""
    service, _, verb = need.partition(".")
    return verb in _REASONS.get(service, {})

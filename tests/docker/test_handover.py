"""From one lab on the host to the next: one at a time, and nothing of it is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import requests

from atleastonce.errors import ServiceError
from atleastonce.services import labs
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from conftest import Stack

    from atleastonce.services.base import Services

pytestmark = pytest.mark.xdist_group("services")


def test_a_killed_lab_leaves_no_settings_behind(services: Services) -> None:
    services.redis.client().config_set("maxmemory", "1mb")
    services.gateway.knobs(status=500)
    services.redis.freeze()
    services.close()
    with type(services)("next", settings=services._settings) as found:
        assert found.redis.client().config_get("maxmemory") == {"maxmemory": "0"}
        body = {"customer": "ann", "amount": "30.00", "reference": "order-1"}
        answer = requests.post(f"{found.gateway.url}/charges", json=body, timeout=5)
        assert answer.status_code == 201, answer.text


def test_one_lab_at_a_time(services: Services) -> None:
    with pytest.raises(ServiceError, match="Another lab uses the containers"):
        type(services)("second", settings=services._settings)


def test_the_host_spares_the_labs_in_the_container(stack: Stack) -> None:
    # Its folder is not on the host, as if it had lost its owner: `down` would end it.
    folder = "/tmp/atleastonce-inside"  # noqa: S108 - a name only
    token = ("-e", f"ATLEASTONCE_LAB_FILE={folder}/lab.json")
    stack.compose("exec", "-d", *token, "course", "sleep", "60")
    seen = "from atleastonce.services import labs; print(labs.running())"
    wait_until(lambda: folder in stack.inside(seen), timeout=30, what="the lab")
    assert folder not in {str(lab.folder) for lab in labs.running()}

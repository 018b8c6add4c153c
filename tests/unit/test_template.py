"""How a template's cluster is made."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from atleastonce.services import template
from atleastonce.services.binaries import Binary


@pytest.mark.parametrize(
    ("version", "mapped"), [("18.6", True), ("16.0", True), ("15.18", False)]
)
def test_a_killed_initdb_leaves_nothing_in_memory_where_it_can_be_told(
    version: str,
    mapped: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    ran: list[list[str]] = []

    def process(_: str, argv: list[str], **__: object) -> SimpleNamespace:
        ran.append(argv)
        return SimpleNamespace(run=lambda _: None)

    lab = cast("Any", SimpleNamespace(process=process))
    binary = Binary(Path("/bin/postgres"), version)
    template._initdb(lab, binary, Path("/new"))
    assert ("dynamic_shared_memory_type=mmap" in ran[0]) is mapped

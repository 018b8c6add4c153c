"""The end of the stack: what outlives it, and that it leaves nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Stack

pytestmark = pytest.mark.xdist_group("services")


def test_answers_outlive_down_and_a_new_image(stack: Stack, tmp_path: Path) -> None:
    lab = "/course/labs/01_duplicates.ipynb"
    stack.inside(f"open({lab!r}, 'a').write('my answer')")
    before = stack.inspect("course")["Image"]
    stack.compose("down")
    (tmp_path / "Dockerfile").write_text("FROM atleastonce-course\nLABEL new=1\n")
    stack.run("docker", "build", "-q", "-t", "atleastonce-course", str(tmp_path))
    stack.up("--no-deps", "course")
    assert stack.inspect("course")["Image"] != before
    assert stack.inside(f"print(open({lab!r}).read()[-9:])").strip() == "my answer"


def test_down_v_leaves_nothing(stack: Stack) -> None:
    stack.compose("down", "-v")
    project = stack.env["COMPOSE_PROJECT_NAME"]
    label = f"label=com.docker.compose.project={project}"
    for kind in ("container", "volume", "network"):
        listed = ["docker", kind, "ls", "-q", "--filter", label]
        listed += ["-a"] if kind == "container" else []
        assert stack.run(*listed) == "", kind

"""Hides what only developers install, where this folder is on Python's path.

`make test` verifies so: a lesson must run with requirements.txt alone. Lesson 04 did
not; it needed greenlet, which the browser tests bring along.
"""

import sys
from importlib.abc import MetaPathFinder

#: Modules of requirements-dev.txt and of what it brings along.
HIDDEN = frozenset(
    (
        "ast_serialize",
        "check_jsonschema",
        "croniter",
        "greenlet",
        "librt",
        "mypy",
        "mypy_extensions",
        "mypyc",
        "pathspec",
        "playwright",
        "pyee",
        "regress",
        "rq",
        "ruamel",
        "ruff",
    )
)


class Hider(MetaPathFinder):
    """Finds nothing, and lets no other finder find what is hidden."""

    def find_spec(
        self, fullname: str, _path: object = None, _target: object = None
    ) -> None:
        """Say no, or leave it to the others."""
        if fullname.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(
                f"{fullname} is in requirements-dev.txt; a learner has not got it.",
                name=fullname,
            )


sys.meta_path.insert(0, Hider())

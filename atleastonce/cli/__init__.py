"""The command line: ``atleastonce VERB`` or ``python -m atleastonce VERB``."""

# First of all: verbs import nbformat, which must not find the slow one.
import atleastonce.grading.fastimport  # noqa: F401 - its import is its work

# Each of these registers its verbs with the app when it is imported.
from atleastonce.cli import lessons as lessons
from atleastonce.cli import machine as machine
from atleastonce.cli import services as services
from atleastonce.cli import sweep as sweep
from atleastonce.cli.base import app, main
from atleastonce.grading import commands

commands.register(app)

__all__ = ["main"]

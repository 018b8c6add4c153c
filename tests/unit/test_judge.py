"""What the judge makes of a run, from its events alone."""

from __future__ import annotations

from atleastonce.grading import generate
from atleastonce.grading.judge import Judge
from atleastonce.grading.run import Limits, Ran


def test_a_kernel_that_did_not_start_is_no_wrong_answer() -> None:
    lab = generate.pristine("01_duplicates")
    cells = [cell["id"] for cell in lab["cells"] if cell["cell_type"] == "code"]
    end = {"event": "end", "ended": "unstarted", "why": "Kernel died", "error": None}
    more = {"verdicts": [], "seconds": 0.0, "printed": ""}
    ran = Ran([{**end, **more, "cell": cell} for cell in cells])
    found = Judge(lab, ran, Limits()).setup_error
    assert found == ("the kernel did not start", "Kernel died")

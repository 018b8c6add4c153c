"""Evidence, verdicts, and what a check does with them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from atleastonce.claims import Book, check, evidence
from atleastonce.errors import ClaimBroken, NoService, NotAttempted
from atleastonce.verdicts import MIME, Verdict

STUB = "def charge(order):\n    raise NotImplementedError"


def cell(source: str, error: BaseException | None = None) -> SimpleNamespace:
    """What IPython hands to its hooks, before and after a cell."""
    info = SimpleNamespace(raw_cell=source)
    return SimpleNamespace(
        info=info, raw_cell=source, error_in_exec=error, error_before_exec=None
    )


def test_a_claim_whose_evidence_holds_gives_a_verdict() -> None:
    verdict = check("ex1-a", "one charge", evidence("charges", seen=1, want=1))
    assert verdict.value == "pass"
    assert str(verdict) == "✓ PASS  ex1-a: one charge\n  charges: 1"


def test_a_broken_claim_is_shown_and_raises(capsys: pytest.CaptureFixture[str]) -> None:
    good = evidence("mails", seen=1, want=1)
    bad = evidence("charges", seen=2, want=1, show="m1 charge\nm1 charge", line=3)
    with pytest.raises(ClaimBroken, match="1 of 2 pieces of evidence fail"):
        check("ex1-a", "one charge", good, bad)
    assert capsys.readouterr().out.rstrip() == (
        "✗ FAIL  ex1-a: one charge\n  mails: 1\n"
        "  charges: 2; should be 1 (line 3 of your cell)\n    m1 charge\n    m1 charge"
    )


def test_a_claim_without_evidence_does_not_hold() -> None:
    with pytest.raises(ClaimBroken):
        check("ex1-a", "nothing")


def test_an_error_while_looking_is_evidence_that_fails() -> None:
    looked = evidence("rows", seen=lambda: 1 / 0, want=1)
    assert looked.first.seen == "ZeroDivisionError: division by zero"
    assert not looked.first.holds


def test_a_missing_service_is_no_evidence() -> None:
    def seen() -> None:
        raise NoService("no broker")

    with pytest.raises(NoService):
        evidence("rows", seen=seen, want=1)


def test_a_number_judged_by_a_bound_is_shown_only_when_it_fails() -> None:
    def look(seen: int) -> str:
        return evidence(
            "tries", seen=seen, want="at most 5", holds=lambda n: n <= 5
        ).first.seen

    assert (look(3), look(4), look(6)) == ("at most 5", "at most 5", "6")


def test_what_shows_a_failure_is_kept_as_text_and_html() -> None:
    class Timeline:
        def __str__(self) -> str:
            return "m1 charge"

        def _repr_html_(self) -> str:
            return "<b>m1</b>"

    bad = evidence("x", seen=0, want=1, show=Timeline()).first
    assert (bad.text, bad.html) == ("m1 charge", "<b>m1</b>")
    good = evidence("x", seen=1, want=1, show=Timeline()).first
    assert (good.text, good.html) == ("", "")


def test_html_escapes_what_was_seen_and_needs_no_style_sheet() -> None:
    seen = evidence("<b>", seen="<script>", want="&").first
    html = Verdict("ex1-a", "a < b", "fail", (seen,))._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "<style" not in html
    assert "background" not in html


def test_the_grader_finds_the_verdict_under_its_own_type() -> None:
    bundle = Verdict("ex1-a", "it holds", "pass")._repr_mimebundle_()
    assert bundle[MIME] == {
        "check": "ex1-a",
        "claim": "it holds",
        "value": "pass",
        "evidence": (),
        "why": "",
    }


def test_a_stub_is_not_attempted_whatever_the_evidence_says() -> None:
    book = Book()
    book.open({"ex1": [STUB]})
    book.before_cell(cell(STUB))
    with pytest.raises(NotAttempted, match="only the stub"):
        book.check("ex1-a", "it holds", (evidence("x", seen=1, want=1),))
    book.before_cell(cell("def charge(order): pass"))
    verdict = book.check("ex1-a", "it holds", (evidence("x", seen=1, want=1),))
    assert verdict.value == "pass"


def test_a_cell_that_did_not_load_is_refused_until_it_does() -> None:
    book, stub = Book(), "%%tasks billing\ndef charge(order):\n    raise KeyError"
    book.open({"ex1": [stub]})
    answer = stub.replace("raise KeyError", "return order")
    looked = (evidence("x", seen=1, want=1),)
    for error in (SyntaxError("invalid syntax"), None):
        book.before_cell(cell(answer))
        book.after_cell(cell(answer, error))
        if error:
            assert not book.ready("ex1-a")
            with pytest.raises(ClaimBroken):
                book.check("ex1-a", "it holds", looked)
    assert book.ready("ex1-a")
    assert book.check("ex1-a", "it holds", looked).value == "pass"


@pytest.mark.parametrize(
    ("error", "answer", "told"),
    [
        (ValueError("boom"), "def charge(order): pass", "FAIL"),
        (NoService("no broker"), "def charge(order): pass", "NO SERVICE"),
        (ValueError("boom"), STUB, "NOT ATTEMPTED"),
    ],
)
def test_an_error_before_the_check_still_gives_a_verdict(
    error: Exception, answer: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    book = Book()
    book.open({"ex1": [STUB]})
    book.before_cell(cell(answer))
    source = 'charge(1)\ncheck("ex1-a", "it holds", evidence("x", seen=1, want=1))'
    book.before_cell(cell(source))
    book.after_cell(cell(source, error))
    assert f"{told}  ex1-a: it holds" in capsys.readouterr().out


def test_a_verdict_that_was_given_is_not_given_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    book = Book()
    source = 'check("ex1-a", "it holds", evidence("x", seen=2, want=1))'
    book.before_cell(cell(source))
    with pytest.raises(ClaimBroken) as caught:
        book.check("ex1-a", "it holds", (evidence("x", seen=2, want=1),))
    book.after_cell(cell(source, caught.value))
    assert capsys.readouterr().out.count("FAIL") == 1


def test_evidence_is_looked_at_again_before_it_is_let_go(
    capsys: pytest.CaptureFixture[str],
) -> None:
    book, ledger = Book(), [1]
    book.check("ex1-a", "it holds", (evidence("n", seen=lambda: len(ledger), want=1),))
    ledger.append(2)
    with pytest.raises(ClaimBroken, match="no longer at close: ex1-a"):
        book.recheck(wait=0.0)
    assert "no longer when the lab closed" in capsys.readouterr().out
    book.recheck(wait=0.0)


@pytest.mark.parametrize("kind", [ClaimBroken, NotAttempted])
def test_a_notebook_shows_one_line_in_place_of_a_traceback(
    kind: type[Exception],
) -> None:
    assert kind("ex1-a: no")._render_traceback_() == [f"{kind.__name__}: ex1-a: no"]  # type: ignore[attr-defined]

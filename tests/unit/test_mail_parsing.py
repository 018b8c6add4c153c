"""What the mail catcher keeps of a mail, and how it counts lost replies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiosmtpd.smtp import Envelope

from atleastonce.services.mail_control import Knobs, Mailbox
from atleastonce.services.mail_server import parsed

if TYPE_CHECKING:
    from pathlib import Path


def mail(content: bytes, *to: str) -> dict[str, str]:
    envelope = Envelope()
    envelope.content, envelope.rcpt_tos = content, list(to)
    return parsed(envelope)


def test_a_mail_is_kept_as_its_reader_sees_it() -> None:
    content = b"Subject: =?utf-8?q?Paid=3A_30_=E2=82=AC?=\r\n\r\nThank you.\r\nBye.\r\n"
    found = mail(content, "ann@x", "ben@x")
    expected = {"to": "ann@x, ben@x", "subject": "Paid: 30 €"}
    assert found == {**expected, "body": "Thank you.\nBye."}


def test_a_mail_without_subject_or_body_is_kept_too() -> None:
    assert mail(b"", "ann@x") == {"to": "ann@x", "subject": "", "body": ""}


def test_replies_are_lost_as_often_as_asked() -> None:
    knobs = Knobs()
    knobs.turn(lose_replies=2)
    assert [knobs.take_loss() for _ in range(4)] == [True, True, False, False]


def test_a_mailbox_reads_back_what_it_kept(tmp_path: Path) -> None:
    path = tmp_path / "mails.jsonl"
    Mailbox(path).add({"subject": "one"})
    again = Mailbox(path)
    assert again.all() == [{"subject": "one"}]
    again.clear()
    assert Mailbox(path).all() == []

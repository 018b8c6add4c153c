"""Reports for machines: JUnit XML, and the Markdown of a GitHub job summary."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from atleastonce.grading.terminal import details, points
from atleastonce.verdict_text import STYLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atleastonce.grading.report import Report, Row

#: Control characters that XML 1.0 can't hold.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(reports: Sequence[Report]) -> str:
    """A testsuite per report, a testcase per check, points as properties."""
    root = ET.Element("testsuites", name="atleastonce")
    for report in reports:
        _suite(root, report)
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text.decode() + "\n"


def _suite(root: ET.Element, report: Report) -> None:
    verdicts = [row.verdict for row in report.rows]
    skipped = sum(v in {"not attempted", "no service"} for v in verdicts)
    failed = len(verdicts) - skipped - verdicts.count("pass")
    name = f"{report.who}/{report.lab}" if report.who else report.lab
    suite = ET.SubElement(
        root,
        "testsuite",
        name=name,
        tests=str(len(verdicts)),
        failures=str(failed),
        skipped=str(skipped),
        errors=str(int(bool(report.error))),
        time=str(report.seconds),
    )
    for row in report.rows:
        _case(suite, name, row)
    if report.error:
        case = ET.SubElement(suite, "testcase", classname=name, name="grading")
        ET.SubElement(case, "error", message=_clean(report.error))


def _case(suite: ET.Element, name: str, row: Row) -> None:
    case = ET.SubElement(
        suite, "testcase", classname=name, name=row.check, time=str(row.seconds)
    )
    properties = ET.SubElement(case, "properties")
    for key, value in (("points", row.points), ("most", row.most)):
        ET.SubElement(properties, "property", name=key, value=points(value))
    if row.verdict == "pass":
        return
    skipped = row.verdict in {"not attempted", "no service"}
    kind = "skipped" if skipped else "failure"
    message = f"{row.verdict}: {row.why or row.claim}"
    ET.SubElement(case, kind, message=_clean(message)).text = _clean(details(row))


def _clean(text: str) -> str:
    return _NOT_XML.sub("?", text)


def summary(reports: Sequence[Report]) -> str:
    """Markdown: a table of all labs, then what failed, folded."""
    lines = ["## At Least Once", "", "| lab | points | checks |", "|---|---:|---|"]
    for report in reports:
        signs = " ".join(STYLES[row.verdict][0] for row in report.rows)
        name = f"{report.who}: {report.lab}" if report.who else report.lab
        total = f"{points(report.points)}/{points(report.most)}"
        lines.append(f"| {_cell(name)} | {total} | {signs or 'could not be graded'} |")
    for report in reports:
        lines += _failures(report)
    return "\n".join([*lines, ""])


def _failures(report: Report) -> list[str]:
    lines = []
    if report.error:
        lines += [
            "",
            f"**{_cell(report.lab)}** could not be graded",
            *_code(report.error),
        ]
    for row in report.rows:
        if row.verdict not in {"pass", "not attempted"}:
            head = f"{STYLES[row.verdict][0]} {row.check}: {row.claim}"
            lines += ["", f"<details><summary>{_cell(head)}</summary>"]
            lines += [*_code(details(row)), "", "</details>"]
    return lines


def _code(text: str) -> list[str]:
    # A fence longer than any in the text: what a learner printed can't end it.
    runs = [len(run) for run in re.findall("`+", text)]
    fence = "`" * max(3, *(run + 1 for run in runs), 3)
    return ["", f"{fence}text", text, fence]


def _cell(text: str) -> str:
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")
    return safe.replace("\n", " ")

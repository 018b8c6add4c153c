"""A verdict as text and as HTML, from its plain data; notebooks and reports share it.

HTML has inline styles only, no colour for prose and no opaque background: it reads in
light and dark themes, and survives GitHub, an untrusted notebook and an export.
"""

from __future__ import annotations

from html import escape
from typing import Any

#: Sign, and colour of a bar (Okabe and Ito's, one darker, told apart by colour-blind
#: readers too); letters have the theme's colour, for none suits light and dark.
STYLES = {
    "pass": ("✓", "#009E73"),
    "fail": ("✗", "#D55E00"),
    "not attempted": ("·", "#808080"),
    "not reached": ("·", "#B87F00"),
    "no service": ("!", "#0072B2"),
}
_CELL = "padding: 2px 12px 2px 0; text-align: left; vertical-align: top"


def as_text(verdict: dict[str, Any]) -> str:
    """Lines of text: the claim, the reason, each piece of evidence."""
    sign = STYLES[verdict["value"]][0]
    head = f"{sign} {verdict['value'].upper()}  {verdict['check']}: {verdict['claim']}"
    why = [f"  {verdict['why']}"] if verdict["why"] else []
    lines = [line for item in verdict["evidence"] for line in _item_text(item)]
    return "\n".join([head, *why, *lines])


def as_html(verdict: dict[str, Any]) -> str:
    """One block of HTML with the same content."""
    sign, colour = STYLES[verdict["value"]]
    rows = "".join(_item_html(item) for item in verdict["evidence"])
    table = f'<table style="margin: 4px 0">{rows}</table>' if rows else ""
    why = f"<div>{escape(verdict['why'])}</div>" if verdict["why"] else ""
    shown = "".join(_shown_html(item) for item in verdict["evidence"])
    return (
        f'<div style="border-left: 4px solid {colour}; padding: 4px 12px">'
        f"<div><b>{sign} {verdict['value']}</b>"
        f" &nbsp;<b>{escape(verdict['claim'])}</b>"
        f" &nbsp;<code>{escape(verdict['check'])}</code></div>"
        f"{why}{table}{shown}</div>"
    )


def _item_text(item: dict[str, Any]) -> list[str]:
    seen = f"  {item['what']}: {item['seen']}"
    if item["holds"]:
        return [seen]
    where = f" (line {item['line']} of your cell)" if item["line"] else ""
    lines = [f"{seen}; should be {item['want']}{where}"]
    return lines + [f"    {line}".rstrip() for line in item["text"].splitlines()]


def _item_html(item: dict[str, Any]) -> str:
    want = "" if item["holds"] else f"should be {item['want']}"
    where = f"line {item['line']} of your cell" if item["line"] else ""
    cells = ("✓" if item["holds"] else "✗", item["what"], item["seen"], want, where)
    row = "".join(f'<td style="{_CELL}">{escape(text)}</td>' for text in cells if text)
    return f"<tr>{row}</tr>"


def _shown_html(item: dict[str, Any]) -> str:
    if item["holds"]:
        return ""
    plain = (
        f"<pre style='font-family: monospace'>{escape(item['text'])}</pre>"
        if item["text"]
        else ""
    )
    return str(item["html"] or plain)

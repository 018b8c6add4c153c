"""A tracer of the OpenTelemetry SDK that writes each span as a line of JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer


def tracer(file: str | Path) -> Tracer:
    """A tracer whose spans are appended to *file*, by whichever process ends them."""
    exporter = ConsoleSpanExporter(
        out=Path(file).open("a", encoding="utf-8"),  # noqa: SIM115 - for as long as the process lives
        formatter=lambda span: span.to_json(indent=None) + "\n",
    )
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return provider.get_tracer("shop")


def written(file: str | Path) -> list[dict[str, Any]]:
    """The spans that were written so far."""
    return [json.loads(line) for line in Path(file).read_text("utf-8").splitlines()]

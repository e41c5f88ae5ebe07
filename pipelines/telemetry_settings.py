"""Where traces go."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TelemetrySettings:
    """Where traces go: the base URL of an OTLP collector over HTTP, as ``http://localhost:4318``; empty: what
    the standard variables (OTEL_EXPORTER_OTLP_ENDPOINT and the rest) say, or nowhere."""

    endpoint: str = ""

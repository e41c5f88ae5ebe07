"""Traces by OpenTelemetry (the extra ``otel``): treegraph's own spans, and LlamaIndex's."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ..indexer import tracing
from ..indexer.errors import ConfigurationError
from .telemetry_settings import TelemetrySettings

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span, Tracer, TracerProvider

log = logging.getLogger(__name__)

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_TIMEOUT = 3.0
"""Seconds that a collector is waited for at the end of a command, unless OTEL_EXPORTER_OTLP_TIMEOUT says."""
_EXTRA = "traces need a package ({}): pip install 'treegraph[otel]', or leave [telemetry] endpoint out"


def start_tracing(
    settings: TelemetrySettings, environ: Mapping[str, str] | None = None
) -> Callable[[], None] | None:
    """Send spans where ``settings`` or the environment say; what ends that and sends the last ones is
    returned, None where they say nothing.

    Raises ConfigurationError where the settings ask for it and the extra ``otel`` is not installed; a
    variable of the environment, which may be everybody's, is then passed over.
    """
    environ = os.environ if environ is None else environ
    if not _wanted(settings, environ):
        return None
    try:
        exporter = _exporter(settings, environ)
    except ImportError as error:
        if settings.endpoint:
            raise ConfigurationError(_EXTRA.format(error)) from error
        log.info(_EXTRA.format(error))
        return None
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    name = environ.get("OTEL_SERVICE_NAME") or "treegraph"
    provider = TracerProvider(resource=Resource.create({SERVICE_NAME: name}))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    undo = trace_with(provider)

    def stop() -> None:
        undo()
        provider.shutdown()

    return stop


def trace_with(provider: TracerProvider) -> Callable[[], None]:
    """Send treegraph's spans, and LlamaIndex's where that is installed, to a provider of OpenTelemetry's,
    until what is returned is called. No text of a question or document is in them."""
    spans = OpenTelemetrySpans(provider.get_tracer("treegraph", version("treegraph")))
    tracing.collect(spans)
    undo: Callable[[], None] | None = None
    if find_spec("llama_index_instrumentation"):
        from .telemetry_llama import follow_llama_index

        undo = follow_llama_index(spans)

    def stop() -> None:
        tracing.collect(None)
        if undo is not None:
            undo()

    return stop


class OpenTelemetrySpans:
    """See :class:`.tracing.Spans`. A thread that is in no span, as one that a build starts, is taken to work
    for the span that is open, where there is just one."""

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        self._open: list[Span] = []
        self._lock = threading.Lock()

    @contextmanager
    def within(self, name: str, attributes: Mapping[str, Any]) -> Iterator[tracing.Note]:
        """See :class:`.tracing.Spans`."""
        from opentelemetry.trace import Status, StatusCode

        outermost = not _in_span()
        with self.tracer.start_as_current_span(
            name,
            self.context(),
            attributes=_known(attributes),
            record_exception=False,  # what an error says may be a question's or a document's
            set_status_on_exception=False,
        ) as span:
            if outermost:
                with self._lock:
                    self._open.append(span)
            try:
                yield lambda more: span.set_attributes(_known(more))
            except BaseException as error:
                span.set_status(Status(StatusCode.ERROR, type(error).__name__))
                raise
            finally:
                if outermost:
                    with self._lock:
                        self._open.remove(span)

    def past(self, name: str, began: float, ended: float, attributes: Mapping[str, Any]) -> None:
        """See :class:`.tracing.Spans`."""
        now, clock = time.time(), time.perf_counter()
        first, last = (round((now - (clock - moment)) * 1e9) for moment in (began, ended))
        told = _known(attributes)
        self.tracer.start_span(name, self.context(), attributes=told, start_time=first).end(last)

    def context(self) -> Context | None:
        """Where a span of this thread belongs; None: where OpenTelemetry says."""
        from opentelemetry.trace import set_span_in_context

        if _in_span():
            return None
        with self._lock:
            return set_span_in_context(self._open[0]) if len(self._open) == 1 else None


def _in_span() -> bool:
    from opentelemetry.trace import get_current_span

    return get_current_span().get_span_context().is_valid


def _wanted(settings: TelemetrySettings, environ: Mapping[str, str]) -> bool:
    if environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    kind = environ.get("OTEL_TRACES_EXPORTER", "")
    if kind == "none":
        return False
    return bool(settings.endpoint or kind == "console" or any(environ.get(name) for name in _ENDPOINTS))


def _exporter(settings: TelemetrySettings, environ: Mapping[str, str]) -> SpanExporter:
    """What sends spans; standard variables that it is not told of here it reads itself."""
    if environ.get("OTEL_TRACES_EXPORTER") == "console":
        import sys

        from opentelemetry.sdk.trace.export import ConsoleSpanExporter

        return ConsoleSpanExporter(out=sys.stderr)
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    endpoint = f"{settings.endpoint.rstrip('/')}/v1/traces" if settings.endpoint else None
    timeout = None if environ.get("OTEL_EXPORTER_OTLP_TIMEOUT") else _TIMEOUT
    return OTLPSpanExporter(endpoint=endpoint, timeout=timeout)


def _known(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes as OpenTelemetry takes them."""
    known = {name: value for name, value in attributes.items() if value is not None}
    return {
        name: value if isinstance(value, str | bool | int | float) else [str(each) for each in value]
        for name, value in known.items()
    }

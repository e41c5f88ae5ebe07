"""LlamaIndex's own spans, as it tells of them, in the traces that treegraph's are in."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from .telemetry import OpenTelemetrySpans

_ID = 37
"""Characters of the id that LlamaIndex adds to a span's name: a dash and a UUID."""


def follow_llama_index(spans: OpenTelemetrySpans) -> Callable[[], None]:
    """Have each span of LlamaIndex's instrumentation be one of ``spans``, until what is returned is called.
    Names and times are taken over, no arguments and no results."""
    from llama_index_instrumentation import get_dispatcher
    from llama_index_instrumentation.span.base import BaseSpan
    from llama_index_instrumentation.span_handlers import BaseSpanHandler

    open_spans: dict[str, Span] = {}

    class Follower(BaseSpanHandler[BaseSpan]):  # made here, since its base is imported here
        """Opens, closes and fails spans as LlamaIndex does."""

        def new_span(
            self,
            id_: str,
            bound_args: inspect.BoundArguments,
            instance: Any = None,
            parent_span_id: str | None = None,
            tags: dict[str, Any] | None = None,
            **kwargs: Any,
        ) -> BaseSpan:
            from opentelemetry.trace import set_span_in_context

            parent = open_spans.get(parent_span_id or "")
            context = set_span_in_context(parent) if parent else spans.context()
            open_spans[id_] = spans.tracer.start_span(f"llama_index.{id_[:-_ID]}", context)
            return BaseSpan(id_=id_, parent_id=parent_span_id)

        def prepare_to_exit_span(
            self,
            id_: str,
            bound_args: inspect.BoundArguments,
            instance: Any = None,
            result: Any = None,
            **kwargs: Any,
        ) -> BaseSpan | None:
            if (span := open_spans.pop(id_, None)) is not None:
                span.end()
            return self.open_spans.get(id_)

        def prepare_to_drop_span(
            self,
            id_: str,
            bound_args: inspect.BoundArguments,
            instance: Any = None,
            err: BaseException | None = None,
            **kwargs: Any,
        ) -> BaseSpan | None:
            from opentelemetry.trace import Status, StatusCode

            if (span := open_spans.pop(id_, None)) is not None:
                span.set_status(Status(StatusCode.ERROR, type(err).__name__))
                span.end()
            return self.open_spans.get(id_)

    follower, root = Follower(), get_dispatcher()
    root.add_span_handler(follower)
    return lambda: root.span_handlers.remove(follower)

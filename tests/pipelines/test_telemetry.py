"""Traces: spans of a build and its stages, of searches and answers and their steps, and LlamaIndex's own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest
import treegraph
from command_line import Here, environment
from scripted_llm import ScriptedLLM
from small_index import build, manual, open_small
from treegraph.pipelines.telemetry import start_tracing, trace_with
from treegraph.pipelines.telemetry_settings import TelemetrySettings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

INSTALLED = bool(find_spec("opentelemetry") and find_spec("opentelemetry.sdk"))
TEXT = "# Valve\n\nThe drain valve VX-12 opens at 4.2 bar.\n"


@pytest.fixture
def collected(require_or_skip: Callable[[str, str], NoReturn]) -> Iterator[InMemorySpanExporter]:
    if not INSTALLED:
        require_or_skip("otel", "the extra otel is not installed")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    stop = trace_with(provider)
    yield exporter
    stop()
    provider.shutdown()


def named(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in exporter.get_finished_spans()}


def within(child: ReadableSpan, parent: ReadableSpan) -> bool:
    same = child.parent is not None and child.parent.span_id == parent.context.span_id
    return same and child.context.trace_id == parent.context.trace_id


def test_a_build_is_a_span_with_one_for_each_stage(tmp_path: Path, collected: InMemorySpanExporter) -> None:
    report = build(tmp_path / "index", manual(tmp_path / "m", a=TEXT))
    spans = named(collected)
    whole = spans["treegraph.build"]
    assert dict(whole.attributes or {}) == {"treegraph.run": report.run, "treegraph.generation": 1}
    stages = {name: span for name, span in spans.items() if name.startswith("treegraph.stage.")}
    assert {"load", "chunk", "embed", "publish"} <= {name.rpartition(".")[2] for name in stages}
    for name, span in stages.items():
        assert within(span, whole), name
        assert whole.start_time <= span.start_time <= span.end_time <= whole.end_time + 10**7
        busy = (span.attributes or {})["treegraph.busy_seconds"]
        assert busy == pytest.approx(report.seconds[name.rpartition(".")[2].replace("_", " ")])
    collected.clear()
    with pytest.raises(treegraph.SourceUnreadable):
        build(tmp_path / "index", tmp_path / "gone")
    failed = named(collected)["treegraph.build"]
    assert (failed.status.is_ok, failed.status.description) == (False, "SourceUnreadable")
    assert not failed.events, "an error may name what a trace does not"


def test_an_answer_holds_its_search_with_its_steps_and_the_calls_of_its_model(
    tmp_path: Path, collected: InMemorySpanExporter
) -> None:
    build(tmp_path / "index", manual(tmp_path / "m", a=TEXT))
    collected.clear()
    with open_small(tmp_path / "index") as index:
        answer = index.ask("When does VX-12 open?", llm=ScriptedLLM(reply="The valve opens at 4.2 bar [1]."))
    assert answer.calls
    spans = named(collected)
    ask, search = spans["treegraph.ask"], spans["treegraph.search"]
    assert within(search, ask)
    assert (ask.attributes or {})["treegraph.calls"] == answer.calls
    for step in ("route", "embed", "retrieve", "rerank"):
        assert within(spans[f"treegraph.search.{step}"], search)
    (model,) = (span for name, span in spans.items() if name.startswith("llama_index."))
    assert within(model, spans["treegraph.ask.write"])
    told = str([(span.name, dict(span.attributes or {})) for span in spans.values()])
    assert "VX-12" not in told
    assert "valve" not in told


def test_nothing_is_collected_once_it_is_stopped(tmp_path: Path, collected: InMemorySpanExporter) -> None:
    from opentelemetry.sdk.trace import TracerProvider

    trace_with(TracerProvider())()
    build(tmp_path / "index", manual(tmp_path / "m", a=TEXT))
    assert not collected.get_finished_spans()


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [
        ({}, False),
        ({"OTEL_SERVICE_NAME": "x"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_SDK_DISABLED": "true"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_TRACES_EXPORTER": "none"}, False),
        ({"OTEL_TRACES_EXPORTER": "console"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:9/v1/traces"}, True),
    ],
)
def test_the_standard_variables_say_whether_there_are_traces(environ: dict[str, str], wanted: bool) -> None:
    stop = start_tracing(TelemetrySettings(), environ)
    assert (stop is not None) == (wanted and INSTALLED)
    if stop is not None:
        stop()


def test_a_command_says_what_is_missing_or_sends_its_spans(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TREEGRAPH_TELEMETRY_ENDPOINT", "http://127.0.0.1:9")
    done = here("search", "pump", "-q")
    if INSTALLED:
        assert done.code == 0
    else:
        assert (done.code, "treegraph[otel]" in done.err) == (2, True)


def test_without_a_collector_nothing_of_it_is_imported(workplace: Path) -> None:
    code = (
        "import sys\nfrom treegraph.pipelines.cli.app import run\nrun(['search', 'pump', '--json'])\n"
        "print(*(name for name in sys.modules if 'opentelemetry' in name or 'telemetry_' in name"
        " or 'instrumentation' in name), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=workplace, env=environment(), capture_output=True, check=True
    )
    assert done.stderr.decode().split() == ["treegraph.pipelines.telemetry_settings"]

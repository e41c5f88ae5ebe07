"""What is written: safe for terminals, valid JSON, and the words of the question marked."""

from __future__ import annotations

import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from treegraph.indexer.types import Citation, Hit
from treegraph.pipelines.cli.hits import pages, render_result
from treegraph.pipelines.cli.output import emit, one_line, safe
from treegraph.pipelines.marking import marked_spans, question_forms, snippet
from treegraph.query.result import RouteDecision, SearchResult

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@given(st.text(st.characters(exclude_categories=[])))
def test_safe_text_holds_nothing_that_drives_a_terminal(text: str) -> None:
    assert not CONTROL.search(safe(text))
    assert "\n" not in one_line(text)


@given(st.text())
def test_safe_text_keeps_what_is_harmless(text: str) -> None:
    assert safe(text) == CONTROL.sub("", text)


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=[])), st.text(st.characters(exclude_categories=[]))
    )
)
def test_a_json_document_says_exactly_what_it_was_given(values: dict[str, str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        stdout = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        patch.setattr("sys.stdout", stdout)
        emit({"values": values})
        written = stdout.buffer.getvalue()  # type: ignore[attr-defined]
    assert json.loads(written) == {"schema": 1, "values": values}
    assert not re.search("[\x7f-\x9f\u202a-\u202e\u2066-\u2069]", written.decode("utf-8"))


@pytest.mark.parametrize(
    ("numbers", "shown"),
    [(None, ""), ((), ""), ((12,), "p. 12"), ((12, 13), "p. 12-13"), ((3, 7, 8, 9), "p. 3, 7-9")],
)
def test_pages_in_few_characters(numbers: tuple[int, ...] | None, shown: str) -> None:
    assert pages(numbers) == shown


@pytest.mark.parametrize(
    ("question", "text", "marked"),
    [
        ("Which relays reset the unit?", "Resetting: the unit's relay", ["Resetting", "unit", "relay"]),
        ("What is CR4.OSFXSR?", "set cr4.osfxsr first", ["cr4", "osfxsr"]),
        ("如何重置设备", "请先重置设备。", ["重置设备"]),
        ("the of and", "the of and", []),
    ],
)
def test_the_words_of_a_question_are_found_in_a_text(question: str, text: str, marked: list[str]) -> None:
    spans = marked_spans(text, question_forms(question))
    assert [text[start:end] for start, end in spans] == marked


@given(st.text(st.sampled_from("relay unit x\n。重置"), max_size=400), st.integers(20, 80))
def test_a_snippet_is_short_and_its_marks_lie_on_words_of_the_question(text: str, width: int) -> None:
    forms = question_forms("relay unit 重置")
    part = snippet(text, forms, width)
    assert len(part.text) <= width + 24 + len("…  …")
    for start, end in part.marks:
        assert marked_spans(part.text[start:end], forms) == [(0, end - start)]


def test_a_snippet_shows_where_the_words_are() -> None:
    text = "filler " * 200 + "the relay resets the unit " + "filler " * 200
    part = snippet(text, question_forms("relay unit"), 120)
    assert "relay resets the unit" in part.text
    assert part.text.startswith("… ")
    assert part.text.endswith(" …")


def shown(result: SearchResult, terminal: bool = False) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=100, force_terminal=terminal, highlight=False, markup=False)
    console.print(*render_result(result))
    return stream.getvalue()


def result(*hits: Hit) -> SearchResult:
    return SearchResult(
        "reset the unit", 3, RouteDecision("auto", ("hybrid",), "only one"), hits, {"total": 0.1}
    )


def hit(text: str, source: str = "manuals/a.pdf") -> Hit:
    citation = Citation("d", source, "A", (12, 13), ("4 Use", "4.2 [bold]Reset[/bold]"), "c", "ocr", 0.87)
    return Hit("some-id", "chunk", text, 0.9, (citation,), relevance=0.71, ranks={"dense": 1, "sparse": None})


def test_a_hit_shows_relevance_source_pages_section_and_text() -> None:
    text = shown(result(hit("To reset the unit, hold the key.")))
    for part in (
        "0.71",
        "manuals/a.pdf",
        "p. 12-13",
        "ocr .87",
        "4 Use > 4.2 [bold]Reset[/bold]",
        "hold the key",
        "some-id",
    ):
        assert part in text
    assert "\x1b" not in text


def test_a_document_cannot_send_escapes_to_a_terminal() -> None:
    evil = "reset \x1b]0;owned\x07 \x9b31m \x1b[2J unit"
    text = shown(result(hit(evil, "manuals/\x1b[2Ja.pdf")), terminal=True)
    # What is left are the console's own colours.
    assert not CONTROL.search(re.sub(r"\x1b\[[0-9;]*m", "", text))
    assert "\x1b[1;33mreset" in text


def test_no_hits_are_said_to_be_none() -> None:
    assert shown(result()) == "no hits\n"

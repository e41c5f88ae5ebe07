"""Reports of communities: what they say stands in the chunks that they rest on, and joins the members."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pytest
from treegraph.indexer.graph.assembly import Assembled, ExtractedChunk, assemble
from treegraph.indexer.graph.communities import Group, detect
from treegraph.indexer.graph.extraction import Passage
from treegraph.indexer.graph.patterns import PatternExtractor
from treegraph.indexer.graph.reports import Draft, Reporter
from treegraph.indexer.models.tokenizer import load_tokenizer
from treegraph.indexer.standalone import TERMS_MARK
from treegraph.indexer.stores.graph_rows import ChunkPlace
from treegraph.indexer.tree.extractive import ExtractiveSummarizer

INDEX_ID = "0b5cf0ff-6a50-4a36-9d5c-6d1f6f6e4b1a"
WORDS = load_tokenizer("words")
SUMMARIZER = ExtractiveSummarizer(WORDS)
TEXTS = {
    "a-0": "The Zephyr core has a vector unit, VU2. ADDPS requires SSE. It was a warm day in the office.",
    "a-1": "SSE requires CR4.OSFXSR. Nobody knows why the paint is green.",
    "a-2": "CR4.OSFXSR enables FXSAVE only if the Zephyr core is not in sleep. Coffee is served at nine.",
    "b-0": "ADDPS adds four values in VU2. FXSAVE stores the registers of VU2.",
}
ACCESS = {"a": "public", "b": "staff"}


def _read(chunk: str, text: str) -> ExtractedChunk:
    document, ordinal = chunk.split("-")
    place = ChunkPlace(chunk, document, f"{document}.pdf", "", int(ordinal), (3, 4), ACCESS[document])
    return ExtractedChunk(place, PatternExtractor().extract(Passage(chunk, document, text)), "en")


CHUNKS = [_read(chunk, text) for chunk, text in TEXTS.items()]
PLACES = [chunk.place for chunk in CHUNKS]


@pytest.fixture(scope="module")
def assembled() -> Assembled:
    return assemble(CHUNKS, INDEX_ID)


def _reporter(assembled: Assembled, texts: Mapping[str, str] = TEXTS, tokens: int = 120) -> Reporter:
    def found(chunks: Collection[str]) -> dict[str, str]:
        return {chunk: texts[chunk] for chunk in chunks if chunk in texts}

    return Reporter(assembled, PLACES, found, WORDS, SUMMARIZER.name, {"a": "en", "b": "en"}, tokens)


def _drafted(reporter: Reporter, group: Group) -> Draft:
    (draft,) = reporter.drafts([group])
    return draft


def _all(assembled: Assembled) -> Group:
    """All entities as one community."""
    held = tuple(sorted({row.id for row in assembled.entities} - assembled.local))
    return Group("7f0d1b0e-98a1-4f0f-8a6b-0d1f8c5b2f11", 0, None, held)


@pytest.fixture(scope="module")
def draft(assembled: Assembled) -> Draft:
    return _drafted(_reporter(assembled), _all(assembled))


def test_a_report_is_made_of_the_sentences_that_name_the_members(draft: Draft) -> None:
    said = " ".join(passage.text for passage in draft.request.passages)
    assert "ADDPS requires SSE." in said
    assert "SSE requires CR4.OSFXSR." in said
    assert not any(word in said for word in ("office", "paint", "Coffee"))
    for passage in draft.request.passages:
        assert all(part in TEXTS[passage.id] for part in passage.text.split(". "))
        assert passage.source == f"{passage.id[0]}.pdf pp. 3-4"
    assert {passage.id for passage in draft.request.passages} <= set(draft.chunks)
    assert [p.id for p in draft.request.passages] == sorted(p.id for p in draft.request.passages)


def test_a_row_says_what_all_its_members_rest_on(draft: Draft) -> None:
    row = draft.row(SUMMARIZER.summarize(draft.request))
    assert row.documents == ("a", "b")
    assert row.classes == ("public", "staff")
    assert (row.members, row.level, row.parent) == (draft.group.members, 0, None)
    assert row.by == SUMMARIZER.name
    sentences = row.report.split(f"\n{TERMS_MARK}")[0]
    assert "ADDPS" in sentences
    assert WORDS.count(row.report) <= 120


def test_the_title_names_what_holds_the_community_together(draft: Draft) -> None:
    names = draft.title.split(", ")
    assert 1 <= len(names) <= 3
    assert "ADDPS" in names or "SSE" in names or "CR4.OSFXSR" in names


def test_classes_are_those_of_the_members_alone(assembled: Assembled) -> None:
    only = {row.entity for row in assembled.mentions if row.document == "a"}
    only -= {row.entity for row in assembled.mentions if row.document == "b"}
    held = tuple(sorted(only - assembled.local))
    drafted = _drafted(_reporter(assembled), Group(INDEX_ID, 0, None, held))
    assert drafted.classes == ("public",)
    assert drafted.documents == ("a",)


def test_made_changes_with_what_the_report_depends_on_and_with_nothing_else(
    assembled: Assembled, draft: Draft
) -> None:
    assert _drafted(_reporter(assembled), _all(assembled)).made == draft.made
    beside = {**TEXTS, "a-1": TEXTS["a-1"].replace("green", "blue")}
    assert _drafted(_reporter(assembled, beside), _all(assembled)).made == draft.made
    other = {**TEXTS, "a-1": TEXTS["a-1"].replace("SSE requires", "Today SSE requires")}
    assert _drafted(_reporter(assembled, other), _all(assembled)).made != draft.made
    assert _drafted(_reporter(assembled, tokens=60), _all(assembled)).made != draft.made


def test_without_the_texts_the_evidence_speaks(assembled: Assembled) -> None:
    drafted = _drafted(_reporter(assembled, {}), _all(assembled))
    assert {passage.text for passage in drafted.request.passages} >= {"ADDPS requires SSE."}


def test_every_community_has_a_report(assembled: Assembled) -> None:
    reporter = _reporter(assembled)
    groups = detect(assembled, PLACES, INDEX_ID).groups
    rows = [draft.row(SUMMARIZER.summarize(draft.request)) for draft in reporter.drafts(groups)]
    assert rows
    assert all(row.title and row.report and row.chunks for row in rows)

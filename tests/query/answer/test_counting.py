"""'How many' and 'list all' without a model: the index counts, says which, and where each is named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from small_index import open_small
from small_station import CANARIES, build_station
from treegraph.query.index import Index


@pytest.fixture(scope="module")
def station_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_station(tmp_path_factory.mktemp("counting"))


@pytest.fixture
def station(station_path: Path) -> Iterator[Index]:
    with open_small(station_path) as index:
        yield index


def test_the_number_of_documents_is_the_answer(station: Index) -> None:
    answer = station.ask("How many documents are there?")
    assert answer.found
    assert answer.grounded
    assert answer.text.startswith("documents: 4: ")
    assert len(answer.citations) == 4
    assert {citation.source for citation in answer.citations} == {
        document.source for document in station.documents.values()
    }
    assert all(citation.chunk for citation in answer.citations)


def test_a_reader_is_told_of_what_it_may_read(station: Index) -> None:
    answer = station.ask("How many documents are there?", labels=[])
    assert answer.text.startswith("documents: 3: ")
    said = str(answer.to_json())
    assert not any(canary in said for canary in CANARIES)


def test_what_nothing_is_known_of_is_not_counted(station: Index) -> None:
    answer = station.ask("How many zeppelins are there?")
    assert not answer.found
    assert answer.result.enumeration is None


@pytest.mark.parametrize(
    "question",
    [
        "How many documents are in Klingon?",
        "List all documents about steam",
        "Wie viele Dokumente nennen PUMP-12?",
    ],
)
def test_a_condition_is_not_looked_at_and_that_is_said(station: Index, question: str) -> None:
    """All there are is no answer to how many of them: no number is given as one."""
    answer = station.ask(question)
    assert answer.result.enumeration is not None
    assert answer.result.enumeration.beside
    assert not answer.text.lower().startswith(("documents:", "dokumente:"))


@pytest.mark.parametrize(
    "question",
    ["How many documents are there?", "how many documents are available in total",
     "Wie viele Dokumente gibt es?", "List all documents", "有多少文档？", "ドキュメントはいくつ"],
)  # fmt: skip
def test_a_plain_question_for_all_has_no_condition(station: Index, question: str) -> None:
    enumeration = station.ask(question).result.enumeration
    assert enumeration is not None
    assert enumeration.beside == ()

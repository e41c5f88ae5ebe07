"""Questions made from documents without a model, through the public function and real files."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest
from folder_copies import copy_folder
from small_index import CONFIG as SMALL
from small_index import build, open_small
from treegraph.indexer.errors import Cancelled, ConfigurationError, SourceUnreadable
from treegraph.pipelines.config import Config
from treegraph.pipelines.evaluation.own import KINDS, own_questions
from treegraph.pipelines.evaluation.places import places_of
from treegraph.pipelines.evaluation.questions import EvaluationSet, Question
from treegraph.pipelines.events import Event

PDF = "manuals/driver.pdf"


def asked(made: EvaluationSet, kind: str) -> dict[str, Question]:
    """The questions of a kind by their text."""
    return {q.text: q for part in made.parts for q in part.questions if q.fields["type"] == kind}


def pages(*numbers: int, source: str = PDF) -> set[str]:
    return {f"{source}@{number}" for number in numbers}


@pytest.fixture(scope="module")
def made(book: Path) -> EvaluationSet:
    return own_questions([str(book)], Config())


def test_a_printed_index_gives_its_terms_with_their_physical_pages(made: EvaluationSet) -> None:
    terms = asked(made, "index")
    assert len(terms) == 40
    assert set(terms["battery limit"].gold) == pages(10)
    assert set(terms["battery fault"].gold) == pages(3, 14, 25)


def test_scattered_topics_are_the_terms_on_three_pages_or_more(made: EvaluationSet) -> None:
    scattered = asked(made, "scattered")
    assert len(scattered) == 14
    assert all(len(question.gold) == 3 for question in scattered.values())
    assert "battery limit" not in scattered


def test_the_pages_of_the_printed_index_are_left_out(made: EvaluationSet) -> None:
    (part,) = made.parts
    assert part.left_out == pages(39, 40)
    assert not any(set(question.gold) & part.left_out for question in part.questions)


def test_a_caption_is_asked_without_its_label_and_answered_by_its_page(made: EvaluationSet) -> None:
    captions = asked(made, "captions")
    assert set(captions["Wiring of the relay driver"].gold) == pages(10)
    assert len(captions) == 6
    assert "shows how many glands there are" not in " ".join(captions)


def test_a_reference_is_asked_without_itself_and_answered_by_its_section(made: EvaluationSet) -> None:
    """One on the way out of the document, one that begins with "This" and one that says too little are
    not asked."""
    references = asked(made, "references")
    said = "Tighten the cable glands of the outer housing by hand first."
    assert list(references) == [said]
    assert set(references[said].gold) == pages(10)
    assert references[said].fields["from"] == f"{PDF}@6"


def test_a_definition_is_asked_for(made: EvaluationSet) -> None:
    assert {text: set(q.gold) for text, q in asked(made, "terms").items()} == {
        "What is a gland nut?": pages(6)
    }


def test_half_of_the_outline_is_withheld_and_asked(made: EvaluationSet) -> None:
    (part,) = made.parts
    scope = asked(made, "scope")
    assert len(scope) == 3  # of five: an introduction says nothing alone, sections are too short
    withheld = part.withheld[PDF]
    assert {entry.title.split(" ", 1)[1] for entry in withheld} == set(scope)
    for entry in withheld:
        question = scope[entry.title.split(" ", 1)[1]]
        assert set(question.gold) == pages(*range(entry.page, entry.page + 6))


def test_every_gold_place_is_one_that_the_index_cites(
    made: EvaluationSet, book: Path, tmp_path: Path
) -> None:
    (part,) = made.parts
    build(tmp_path / "index", *part.sources)
    with open_small(tmp_path / "index") as index:
        found = cited(index, [q.text for q in part.questions])
    assert {place for q in part.questions for place in q.gold} <= found


def cited(index: object, questions: Sequence[str]) -> set[str]:
    """Every place that the hits on the questions are counted as."""
    results = [index.search(text, k=200) for text in questions]  # type: ignore[attr-defined]
    citations = [citation for result in results for hit in result.hits for citation in hit.citations]
    return {place for citation in citations for place in places_of(citation, "page")}


WITHOUT_PAGES = {
    "wiring.md": (
        "# Wiring\n\nHow the device is wired, from the first terminal to the last.\n\n## 1 Terminals\n\n"
        "A *ferrule* is a sleeve that keeps the strands of a wire together in a terminal.\n\n"
        "Strip the insulation of every single wire by nine millimetres (see section 2).\n\n"
        "Terminal after terminal is tightened with the small blue screwdriver.\n\n## 2 Tools\n\n"
        "**Crimper** -- the pliers that press a sleeve onto a wire, once and for all.\n\n"
        "The tools lie in the lower drawer, sorted by the size of their handles and by their colour.\n"
    ),
    "notes.html": (
        "<html lang='en'><body><h1>Release notes</h1><p>What has changed in the firmware since spring, in "
        "the order in which it was changed, with the reasons for it.</p><h2>Limits</h2><table><caption>"
        "Voltage limits of all variants</caption><tr><th>Variant</th><th>Volt</th></tr><tr><td>B</td>"
        "<td>12</td></tr></table><dl><dt>Brownout</dt><dd>A supply voltage that is too low for the radio but "
        "not for the clock.</dd><dt>Holdover</dt><dd>The time for which the clock goes on without any "
        "supply at all.</dd></dl></body></html>"
    ),
}


@pytest.fixture
def without_pages(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in WITHOUT_PAGES.items():
        (folder / name).write_text(text, "utf-8")
    return folder


def test_documents_without_pages_are_answered_by_the_section_that_a_hit_cites(
    without_pages: Path, tmp_path: Path
) -> None:
    made = own_questions([str(without_pages)], SMALL)
    terms, captions, references = (asked(made, kind) for kind in ("terms", "captions", "references"))
    assert {"What is a ferrule?", "What is Crimper?", "What is Brownout?", "What is Holdover?"} == set(terms)
    assert set(captions) == {"Voltage limits of all variants"}
    assert set(references) == {"Strip the insulation of every single wire by nine millimetres."}
    assert not asked(made, "scope")
    build(tmp_path / "index", without_pages)
    with open_small(tmp_path / "index") as index:
        found = cited(index, ["wire", "limits", "clock"])
    assert {place for q in made.parts[0].questions for place in q.gold} <= found
    assert all("#" in place and "@" not in place for q in made.parts[0].questions for place in q.gold)


def test_the_same_seed_gives_the_same_questions_and_another_one_others(
    book: Path, made: EvaluationSet
) -> None:
    assert own_questions([str(book)], Config()) == made
    kinds = ("index", "scope")
    one, other = (own_questions([str(book)], Config(), kinds, seed=s, per_kind=10) for s in (1, 2))
    assert len(asked(one, "index")) == 10
    assert set(asked(one, "index")) != set(asked(other, "index"))


def test_another_document_leaves_what_is_asked_of_the_first(
    book: Path, without_pages: Path, made: EvaluationSet
) -> None:
    both = own_questions([str(book), str(without_pages)], Config())
    for kind in KINDS:
        assert asked(made, kind).items() <= asked(both, kind).items()
    assert both.parts[0].withheld == made.parts[0].withheld


def test_a_question_that_two_documents_answer_has_the_places_of_both(book: Path, tmp_path: Path) -> None:
    """But for a scope: a title of two outlines names no one place."""
    shutil.copy(book / "driver.pdf", tmp_path / "second.pdf")
    made = own_questions([str(book), str(tmp_path / "second.pdf")], Config())
    gold = set(asked(made, "captions")["Wiring of the relay driver"].gold)
    assert gold == pages(10) | pages(10, source="second.pdf")
    assert not asked(made, "scope")
    assert made.parts[0].withheld == {}


def test_sources_are_made_absolute_and_keep_their_names(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(book.parent)
    made = own_questions(["guides=manuals", "manuals/*.pdf"], Config(), ["captions"])
    assert made.parts[0].sources == (f"guides={book}", f"{book}/*.pdf")
    assert {place.split("/")[0] for q in made.parts[0].questions for place in q.gold} == {"guides"}


def test_what_cannot_be_read_is_named_and_the_rest_goes_on(book: Path, tmp_path: Path) -> None:
    folder = tmp_path / "manuals"
    copy_folder(book, folder)
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nno PDF at all\n")
    made = own_questions([str(folder)], Config(), ["captions"])
    assert len(asked(made, "captions")) == 6
    assert "1 of 2 documents could not be read: manuals/broken.pdf (corrupt file)" in made.notes


def test_an_encrypted_manual_is_read_with_its_password(
    book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "manuals"
    folder.mkdir()
    with pymupdf.open(book / "driver.pdf") as document:
        document.save(folder / "driver.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="opener")
    monkeypatch.setenv("OWN_PASSWORD", "opener")
    config = Config()
    config = Config(load=type(config.load)(passwords={"manuals/*.pdf": "env:OWN_PASSWORD"}))
    assert len(asked(own_questions([str(folder)], config, ["index"]), "index")) == 40


def test_each_kind_says_how_much_of_it_there_is_and_why_there_is_none(without_pages: Path) -> None:
    notes = own_questions([str(without_pages)], Config(), per_kind=3).notes
    assert "terms: 4 found, 3 asked" in notes
    assert any(note.startswith("scope: none, as no outline") for note in notes)
    assert any(note.startswith("index: none, as no document has a printed index") for note in notes)


def test_documents_that_give_no_question_are_an_error_that_says_why(tmp_path: Path) -> None:
    (tmp_path / "dull.txt").write_text("Nothing to see here.\n", "utf-8")
    with pytest.raises(ConfigurationError, match=r"no question could be made.*captions: none"):
        own_questions([str(tmp_path)], Config())


def test_a_wrong_wish_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no kind of question 'capt'; there are index, captions"):
        own_questions([str(tmp_path)], Config(), ["capt"])
    with pytest.raises(ConfigurationError, match="written questions need a model"):
        own_questions([str(tmp_path)], Config(), ["written"])
    with pytest.raises(ConfigurationError, match="at least one question a kind"):
        own_questions([str(tmp_path)], Config(), per_kind=0)
    with pytest.raises(ConfigurationError, match="at least one kind"):
        own_questions([str(tmp_path)], Config(), [])
    with pytest.raises(SourceUnreadable):
        own_questions([str(tmp_path / "missing")], Config())


def test_it_tells_how_far_it_is_and_stops_when_asked(book: Path, without_pages: Path) -> None:
    events: list[Event] = []
    sources = [str(book), str(without_pages)]
    own_questions(sources, Config(), ["terms"], on_event=events.append)
    assert [(event.done, event.total) for event in events] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    stop = threading.Event()
    with pytest.raises(Cancelled):
        own_questions(sources, Config(), ["terms"], on_event=lambda event: stop.set(), cancel=stop)

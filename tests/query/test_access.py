"""From readers and filters to what the store is asked for."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_index import build, manual, open_small
from treegraph.indexer.errors import ConfigurationError
from treegraph.indexer.stores.folder import Catalogue
from treegraph.indexer.types import PUBLIC, Document, access_class
from treegraph.query.access import Readers

NAMES = ("a", "b", "c", "é")
label_sets = st.lists(st.sampled_from(NAMES), max_size=3, unique=True).map(tuple)


def readers(*documents: Document) -> Readers:
    held = {document.id: document for document in documents}
    classes = {access_class(document.labels): document.labels for document in documents}
    return Readers(Catalogue(1, held, classes, (), {}))


def document(name: str, **known: object) -> Document:
    return Document(id=name, source=f"{name}.md", title=name, **known)  # type: ignore[arg-type]


@given(st.lists(label_sets, max_size=8), st.none() | label_sets)
def test_any_one_label_is_enough_and_none_is_public(
    sets: list[tuple[str, ...]], held: tuple[str, ...] | None
) -> None:
    documents = [document(str(n), labels=labels) for n, labels in enumerate(sets)]
    classes = readers(*documents).access(held).classes
    for known in documents:
        allowed = held is None or not known.labels or bool(set(known.labels) & set(held))
        assert (classes is None or access_class(known.labels) in classes) == allowed


def test_labels_are_compared_in_one_normal_form() -> None:
    access = readers(document("x", labels=("é",))).access(["e\u0301"])
    assert access.classes == (access_class(("é",)),)


def test_the_shorter_list_of_documents_is_used() -> None:
    many = [document(f"new{n}") for n in range(5)]
    old = document("old", valid_until=date(2020, 1, 1))
    access = readers(*many, old).access(as_of=date(2021, 1, 1))
    assert (access.documents, access.not_documents) == (None, ("old",))
    expired = [document(f"old{n}", valid_until=date(2020, 1, 1)) for n in range(5)]
    access = readers(document("new"), *expired).access(as_of=date(2021, 1, 1))
    assert (access.documents, access.not_documents) == (("new",), None)


@pytest.mark.parametrize(("day", "seen"), [(1, False), (2, True), (5, True), (6, False)])
def test_the_first_and_the_last_day_count(day: int, seen: bool) -> None:
    held = readers(
        document("x", valid_from=date(2021, 1, 2), valid_until=date(2021, 1, 5)), document("y"), document("z")
    )
    access = held.access(as_of=date(2021, 1, day))
    assert ("x" in (access.not_documents or ())) is not seen


def test_filters_and_sources_leave_the_corpus_of_the_idf_alone() -> None:
    held = readers(document("x", fields={"year": 2021}), document("y"), document("z", labels=("a",)))
    access = held.access([], filters=["year=2021"], sources=["x.*", "q/**"])
    assert access.documents == ("x",)
    assert access.corpus().documents is None
    assert access.corpus().classes == access.where().classes == (PUBLIC,)
    assert held.access(None, sources=["nowhere/*"]).empty


def test_a_filter_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(ConfigurationError):
        readers(document("x")).access(filters=["year"])


def test_a_hidden_document_does_not_change_how_a_question_is_read(tmp_path: Path) -> None:

    folder = manual(
        tmp_path / "m", **{f"p{n}": f"# Part {n}\n\nThe die cutter presses part {n}.\n" for n in range(3)}
    )
    build(tmp_path / "index", folder)
    with open_small(tmp_path / "index") as index:
        before = index.search("die cutter", route="hybrid", labels=[], explain=True)
    german = "# Geheim\n\nDie Maschine ist gefährlich, und der Deckel bleibt immer geschlossen.\n"
    manual(folder, secret=german)
    (folder / "secret.meta.toml").write_text('labels = ["hr"]\nlanguage = "de"\n')
    build(tmp_path / "index", folder)
    with open_small(tmp_path / "index") as index:
        after = index.search("die cutter", route="hybrid", labels=[], explain=True)
    assert after.explanation == before.explanation
    assert [hit.scores for hit in after.hits] == [hit.scores for hit in before.hits]


@given(st.lists(label_sets, max_size=8), st.none() | label_sets)
def test_what_is_not_open_is_closed(sets: list[tuple[str, ...]], held: tuple[str, ...] | None) -> None:
    documents = [document(str(n), labels=labels) for n, labels in enumerate(sets)]
    every = {access_class(labels) for labels in sets}
    for access in (readers(*documents).access(held), readers(*documents).everything(held)):
        assert set(access.closed) == (set() if access.classes is None else every - set(access.classes))
        assert access.nodes(["n"]).not_classes == (access.closed or None)

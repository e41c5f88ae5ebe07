"""The tree route over a real store: readings, citations, descents, and who sees what."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from hash_embedder import FakeHashEmbedder
from hash_question import hash_question
from treegraph.indexer.stores.edge import EdgeVectorStore
from treegraph.indexer.stores.ports import Filter, Row, VectorSnapshot
from treegraph.indexer.types import PUBLIC, Document, NodeShape
from treegraph.indexer.words import WordEncoder
from treegraph.query.access import Access
from treegraph.query.hybrid import HybridRetriever
from treegraph.query.question import Candidate, Question
from treegraph.query.reading_nodes import NodeReader
from treegraph.query.result import cite
from treegraph.query.settings import SearchSettings
from treegraph.query.tree import TreeRetriever
from treegraph.query.tree_hits import leaf_citations
from treegraph.query.tree_map import TreeMap
from treegraph.query.tree_settings import TreeReading, TreeReadSettings

EMBEDDER, WORDS = FakeHashEmbedder(64), WordEncoder()
READINGS: Sequence[TreeReading] = ("evidence", "collapsed", "traversal")
STAFF = "class-of-staff"
ANYBODY = Access(classes=(PUBLIC,))

MANUAL: Mapping[str, Sequence[str]] = {
    "Pumps": [f"the pump of line {n} moves water and its seal number {n} is checked" for n in range(8)],
    "Valves": ["a relief valve opens at eight bar", *(f"valve {n} closes pipe {n}" for n in range(1, 8))],
    "Boilers": [f"boiler {n} heats the hall of wing {n}" for n in range(8)],
}
CODES = [f"service code {n} resets the pump of line {n}" for n in range(4)]


@dataclass(frozen=True)
class Built:
    snapshot: VectorSnapshot
    tree: TreeMap
    documents: Mapping[str, Document]


def row(payload: dict[str, Any]) -> Row:
    text = payload["text"]
    identifier = str(uuid.uuid5(uuid.NAMESPACE_OID, payload["id"]))
    return Row(identifier, payload, EMBEDDER.embed_question(text), WORDS.encode([text], ["en"])[0])


def chunk(document: str, ordinal: int, text: str, section: str) -> Row:
    return row(
        {
            "id": f"{document}/{ordinal}", "kind": "chunk", "level": 0, "document": document,
            "class": STAFF if document == "codes" else PUBLIC, "ordinal": ordinal, "text": text,
            "context": "", "section": [section], "language": "en", "token_count": len(text.split()),
            "first_page": ordinal + 1, "last_page": ordinal + 1,
        }
    )  # fmt: skip


def node(shape: NodeShape, text: str) -> Row:
    classes = sorted({STAFF if document == "codes" else PUBLIC for document in shape.documents})
    return row(
        {
            "id": shape.id, "kind": "node", "level": shape.level, "title": shape.title, "text": text,
            "document": list(shape.documents), "class": classes, "language": "en", "section": [],
            "token_count": shape.tokens,
        }
    )  # fmt: skip


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    """A manual of three sections, codes for the staff alone, and a tree over both."""
    chunks: list[Row] = []
    shapes: list[NodeShape] = []
    says: dict[str, str] = {}
    for title, texts in MANUAL.items():
        begin = len(chunks)
        chunks += [chunk("manual", begin + at, text, title) for at, text in enumerate(texts)]
        held = tuple(f"manual/{at}" for at in range(begin, len(chunks)))
        shapes.append(NodeShape(title, 1, held, 9, title, ("manual",)))
        says[title] = " ".join(texts)[:60]
    chunks += [chunk("codes", at, text, "Codes") for at, text in enumerate(CODES)]
    codes = tuple(f"codes/{at}" for at in range(len(CODES)))
    shapes.append(NodeShape("Codes", 1, codes, 9, "Secret codes", ("codes",)))
    shapes.append(NodeShape("Manual", 2, tuple(MANUAL), 9, "Manual", ("manual",)))
    shapes.append(NodeShape("Root", 3, ("Manual", "Codes"), 9, "", ("codes", "manual")))
    says |= {"Codes": "service codes of pumps", "Manual": "pumps valves boilers", "Root": "all there is"}
    order = [(item.payload["id"], item.payload["document"]) for item in chunks]
    tree = TreeMap(shapes, {"manual": PUBLIC, "codes": STAFF}, order)
    store = EdgeVectorStore(tmp_path_factory.mktemp("tree") / "vectors")
    writer = store.write(1, None, EMBEDDER.dimension, idf=True)
    rows = [*chunks, *(node(shape, says[shape.id]) for shape in shapes)]
    writer.upsert(rows)
    writer.commit()
    writer.seal(len(rows))
    snapshot = store.read(1)
    documents = {name: Document(name, f"{name}.pdf", name.title()) for name in ("manual", "codes")}
    yield Built(snapshot, tree, documents)
    snapshot.close()
    store.close()


def ask(text: str) -> Question:
    return hash_question(text, EMBEDDER)


def search(
    built: Built, text: str, access: Access | None = None, limit: int = 10, **settings: Any
) -> list[Candidate]:
    hybrid = HybridRetriever(built.snapshot, SearchSettings())
    retrieve = TreeRetriever(
        built.snapshot, built.tree, hybrid, TreeReadSettings(**settings), SearchSettings()
    )
    return list(retrieve(ask(text), access or Access(), limit).candidates)


def ids(found: Sequence[Candidate]) -> list[str]:
    return [candidate.payload["id"] for candidate in found]


def test_what_many_chunks_answer_comes_as_their_node_with_the_best_of_them_first(built: Built) -> None:
    found = search(built, "pump water seal checked", ANYBODY)
    assert found[0].payload["kind"] == "node"
    assert found[0].payload["id"] == "Pumps"
    assert set(found[0].leaves) == {f"manual/{n}" for n in range(8)}
    scored = {
        candidate.payload["id"]: candidate.score for candidate in hybrid(built, "pump water seal checked")
    }
    by_score = sorted(found[0].leaves, key=lambda leaf: -scored[leaf])
    assert [scored[leaf] for leaf in found[0].leaves] == [scored[leaf] for leaf in by_score]


def hybrid(built: Built, text: str) -> Sequence[Candidate]:
    return HybridRetriever(built.snapshot, SearchSettings())(ask(text), Access(), 99).candidates


def test_what_one_chunk_answers_comes_as_that_chunk(built: Built) -> None:
    found = search(built, "at how many bar does the relief valve open")
    assert found[0].payload["id"] == "manual/8"
    assert found[0].leaves == ()
    assert [step["id"] for step in found[0].path or ()] == ["Root", "Manual", "Valves", "manual/8"]
    assert [step["kind"] for step in found[0].path or ()] == ["node", "node", "node", "chunk"]


@pytest.mark.parametrize("read", READINGS)
def test_hits_are_distinct_ranked_and_end_in_chunks(built: Built, read: TreeReading) -> None:
    found = search(built, "pump of line 3", limit=20, read=read)
    assert len(set(ids(found))) == len(found) > 3
    scores = [candidate.score for candidate in found]
    assert scores == sorted(scores, reverse=True)
    assert [candidate.ranks["tree"] for candidate in found] == list(range(1, len(found) + 1))
    for candidate in found:
        path = candidate.path or ()
        assert path[-1]["id"] == candidate.payload["id"]
        assert path[0]["id"] == "Root"
        for above, below in pairwise(path):
            assert below["id"] in built.tree.nodes[above["id"]].children
        if candidate.payload["kind"] == "node":
            assert candidate.leaves
            assert 0 < candidate.relevance <= 1
    assert ids(found) == ids(search(built, "pump of line 3", limit=20, read=read))


@pytest.mark.parametrize("read", READINGS)
@pytest.mark.parametrize("access", [ANYBODY, Access(documents=("manual",)), Access(not_documents=("codes",))])
def test_nothing_of_what_a_reader_may_not_see_is_shown(
    built: Built, read: TreeReading, access: Access
) -> None:
    found = search(built, "service code resets the pump of line 2", access, limit=50, read=read)
    assert found
    shown = {step["id"] for candidate in found for step in candidate.path or ()}
    assert shown.isdisjoint({"Root", "Codes"})
    assert not [name for name in [*ids(found), *shown] if name.startswith("codes/")]
    assert not [leaf for candidate in found for leaf in candidate.leaves if leaf.startswith("codes/")]
    owner = search(built, "service code resets the pump of line 2", limit=50, read=read)
    assert any(name.startswith("codes/") or name == "Codes" for name in ids(owner))


@pytest.mark.parametrize("read", READINGS)
def test_a_reader_of_the_codes_alone_finds_them_below_the_hidden_root(
    built: Built, read: TreeReading
) -> None:
    found = search(built, "service code 2", Access(classes=(STAFF,)), limit=50, read=read)
    assert "codes/2" in ids(found)
    assert {step["id"] for candidate in found for step in candidate.path or ()} <= {
        "Codes", *(f"codes/{n}" for n in range(len(CODES))),
    }  # fmt: skip


@pytest.mark.parametrize("read", READINGS)
def test_chunks_that_stand_in_no_readable_node_are_found(built: Built, read: TreeReading) -> None:
    """A cluster over two documents is not for a reader of one; its chunks are."""
    held = (*(f"manual/{n}" for n in range(24)), *(f"codes/{n}" for n in range(len(CODES))))
    mixed = TreeMap([NodeShape("Root", 1, held, 9, "", ("codes", "manual"))], {"manual": PUBLIC})
    found = search(Built(built.snapshot, mixed, built.documents), "relief valve bar", ANYBODY, read=read)
    assert found[0].payload["id"] == "manual/8"
    assert [step["kind"] for step in found[0].path or ()] == ["chunk"]


@pytest.mark.parametrize("read", READINGS)
def test_who_sees_nothing_finds_nothing(built: Built, read: TreeReading) -> None:
    assert search(built, "pump", Access(classes=()), read=read) == []


@pytest.mark.parametrize("read", READINGS)
def test_function_words_alone_are_still_a_question(built: Built, read: TreeReading) -> None:
    assert search(built, "of the", read=read)


def test_an_index_without_nodes_answers_as_the_hybrid_route_does(built: Built) -> None:
    bare = Built(built.snapshot, TreeMap([]), built.documents)
    found = search(bare, "pump of line 3", limit=12)
    assert ids(found) == ids(hybrid(built, "pump of line 3"))[:12]


def test_a_node_that_the_store_does_not_hold_is_left_out(built: Built) -> None:
    ghost = NodeShape("Ghost", 1, tuple(f"manual/{n}" for n in range(8)), 9, "Ghost", ("manual",))
    found = search(Built(built.snapshot, TreeMap([ghost]), built.documents), "pump water seal checked")
    assert "Ghost" not in ids(found)
    assert "manual/0" in ids(found)


def test_a_chunk_of_two_nodes_is_reached_by_the_one_that_comes_nearer_to_the_question(built: Built) -> None:
    shapes = [
        replace(shape, children=(*shape.children, "manual/0")) if shape.id in ("Boilers", "Valves") else shape
        for shape in built.tree.nodes.values()
    ]
    between = replace(built, tree=TreeMap(shapes))
    found = search(between, "pump water seal", read="traversal", limit=50)
    path = next(each.path for each in found if each.payload["id"] == "manual/0")
    assert [step["id"] for step in path or ()] == ["Root", "Manual", "Pumps", "manual/0"]


def test_a_traversal_keeps_no_more_than_its_beam_on_a_level(built: Built) -> None:
    found = search(built, "pump water seal", read="traversal", beam=1, limit=50)
    end = next(candidate for candidate in found if candidate.payload["level"] == 0)
    assert {step["id"] for step in end.path or ()} == set(ids(found))
    assert len(found) == len(end.path or ()) >= 3


def test_collapsed_scores_stand_on_both_lists(built: Built) -> None:
    found = search(built, "service codes of pumps", read="collapsed")
    assert found[0].payload["id"] == "Codes"
    assert found[0].dense == pytest.approx(1.0, abs=1e-3)
    assert found[0].sparse > 0


def test_citations_of_a_node_are_those_of_its_chunks_in_their_order(built: Built) -> None:
    found = search(built, "pump water seal checked", citations=5)
    nodes = [candidate for candidate in found if candidate.leaves]
    cited = leaf_citations(found, built.snapshot, Access(), partial(cite, documents=built.documents))
    assert cited.keys() == {candidate.key for candidate in nodes}
    for candidate in nodes:
        assert len(candidate.leaves) <= 5
        assert tuple(citation.chunk for citation in cited[candidate.key]) == candidate.leaves
        for citation in cited[candidate.key]:
            payload = built.snapshot.fetch(Filter(ids=[citation.chunk]))[0].payload
            assert citation.pages == (payload["first_page"],)
            assert citation.source == f"{citation.document}.pdf"


def test_citations_never_name_what_the_reader_may_not_see(built: Built) -> None:
    root = next(c for c in search(built, "all there is", read="collapsed") if c.payload["id"] == "Root")
    assert any(leaf.startswith("codes/") for leaf in root.leaves)
    cited = leaf_citations([root], built.snapshot, ANYBODY, partial(cite, documents=built.documents))[
        root.key
    ]
    assert {citation.document for citation in cited} == {"manual"}


@pytest.mark.parametrize("read", READINGS)
def test_the_store_itself_keeps_back_nodes_that_rest_on_a_closed_class(
    built: Built, read: TreeReading
) -> None:
    """Also where the tree is mistaken about what its documents are."""
    mistaken = TreeMap(built.tree.nodes.values(), {"manual": PUBLIC, "codes": PUBLIC})
    asked = "service codes of pumps, all there is"
    reader = Access(classes=(PUBLIC,), closed=(STAFF,))
    assert {"Root", "Codes"} <= mistaken.readable(reader)
    found = search(replace(built, tree=mistaken), asked, reader, limit=50, read=read, admission=0.0)
    assert set(ids(found)).isdisjoint({"Root", "Codes"})
    assert not [name for name in ids(found) if name.startswith("codes/")]
    everything = Access(classes=(PUBLIC, STAFF))
    assert {"Root", "Codes"} & set(
        ids(search(replace(built, tree=mistaken), asked, everything, 50, read=read))
    )


def test_a_node_that_the_store_keeps_back_is_not_read(built: Built) -> None:
    mistaken = TreeMap(built.tree.nodes.values(), {"manual": PUBLIC, "codes": PUBLIC})
    reader = Access(classes=(PUBLIC,), closed=(STAFF,))
    nodes = NodeReader(built.snapshot, mistaken, built.documents, reader, 5)
    assert nodes.read("Codes") is None
    assert nodes.read("Pumps") is not None

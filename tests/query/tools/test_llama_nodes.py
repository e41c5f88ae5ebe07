"""The index as a retriever of LlamaIndex, and its hits as nodes."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from small_station import CANARIES
from treegraph.indexer.errors import ConfigurationError
from treegraph.indexer.types import Citation, Hit
from treegraph.query.index import Index

pytest.importorskip("llama_index.core")

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.llms import MockLLM
from llama_index.core.postprocessor import (
    LongContextReorder,
    MetadataReplacementPostProcessor,
    PrevNextNodePostprocessor,
    SimilarityPostprocessor,
)
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from treegraph.query.tools.llama_nodes import node_of

PAGE = "membrane of the PDF, step 3"


def best(station: Index, question: str = PAGE, **options: object) -> TextNode:
    options.setdefault("route", "hybrid")
    node = station.as_retriever(k=1, **options).retrieve(question)[0].node  # type: ignore[arg-type]
    assert isinstance(node, TextNode)
    return node


def test_a_node_is_its_hit_with_the_citation_where_llama_index_looks_for_it(station: Index) -> None:
    hit = station.search(PAGE, k=1, route="hybrid")[0]
    node = best(station)
    assert (node.node_id, node.text) == (hit.id, hit.text)
    assert node.ref_doc_id == hit.citations[0].document
    told = node.metadata
    assert (told["file_name"], told["page_label"], told["pages"]) == ("pump.pdf", "2", [2])
    assert (told["source"], told["section"], told["origin"]) == ("station/pump.pdf", "Membrane", "text")
    assert (told["kind"], told["document_id"]) == ("chunk", hit.citations[0].document)
    assert told["citations"][0]["chunk"] == hit.id
    assert told["scores"] == dict(hit.scores)
    assert told["relevance"] == hit.relevance


def test_a_prompt_has_the_place_and_the_text_but_no_ids_and_no_scores(station: Index) -> None:
    node = best(station)
    shown = node.get_content(MetadataMode.LLM)
    assert "source: station/pump.pdf" in shown
    assert "page_label: 2" in shown
    assert shown.endswith(node.text.strip())
    assert node.node_id not in shown
    assert node.ref_doc_id is not None
    assert node.ref_doc_id not in shown
    assert "score" not in shown
    embedded = node.get_content(MetadataMode.EMBED)
    assert embedded == f"context: {node.metadata['context']}\n\n{node.text}".strip()
    assert node.metadata["context"] not in node.text


def test_a_summary_says_that_it_is_one_and_has_the_citations_beneath_it(station: Index) -> None:
    items = station.as_retriever(route="tree", k=10).retrieve("pressure of the PDF")
    node = next(item.node for item in items if item.node.metadata["kind"] == "node")
    assert "kind: node" in node.get_content(MetadataMode.LLM)
    assert len(node.metadata["citations"]) == node.metadata["passages"] == 5
    assert node.metadata["page_label"] == "1"
    assert {cited["pages"][0] for cited in node.metadata["citations"]} == {1}


def test_sync_and_async_give_the_same(station: Index) -> None:
    retriever = station.as_retriever(route="graph", k=4)
    assert isinstance(retriever, BaseRetriever)
    now = retriever.retrieve("What does PUMP-12 set?")
    later = asyncio.run(retriever.aretrieve("What does PUMP-12 set?"))
    assert [item.node.node_id for item in now] == [item.node.node_id for item in later]
    assert [item.score for item in now] == [hit.score for hit in station.search(
        "What does PUMP-12 set?", route="graph", k=4)]  # fmt: skip
    assert any(step["kind"] == "relation" for item in now for step in item.node.metadata.get("path", ()))


def test_labels_are_settled_when_the_retriever_is_made(station: Index) -> None:
    question = "What does PUMP-12 require? QX-99 Canary"
    owner = station.as_retriever(k=30).retrieve(question)
    assert any("QX-99" in item.node.get_content() for item in owner)
    held: list[str] = []
    public = station.as_retriever(k=30, labels=held)
    held.append("staff")  # too late
    for found in (public.retrieve(question), public.retrieve(QueryBundle(question, ["labels: staff"]))):
        assert found
        assert not [word for item in found for word in CANARIES if word in item.model_dump_json()]


@pytest.mark.parametrize(
    "options", [{"route": "sideways"}, {"k": 0}, {"labels": "staff"}, {"scored_by": "beauty"}]
)
def test_a_wrong_option_is_refused_when_the_retriever_is_made(
    station: Index, options: dict[str, object]
) -> None:
    with pytest.raises(ConfigurationError):
        station.as_retriever(**options)  # type: ignore[arg-type]


def test_neighbours_stand_in_relationships_and_in_the_window(station: Index) -> None:
    assert best(station).next_node is None
    node = best(station, neighbours=1)
    before, after = node.prev_node, node.next_node
    assert before
    assert after
    texts = [station.read(name).text for name in (before.node_id, node.node_id, after.node_id)]
    assert node.metadata["window"] == "".join(texts)
    swapped = MetadataReplacementPostProcessor("window").postprocess_nodes([NodeWithScore(node=node)])
    assert swapped[0].node.get_content() == "".join(texts)
    assert swapped[0].node.metadata["page_label"] == "2"


def test_nodes_of_other_questions_are_what_is_before_and_after(station: Index) -> None:
    """A document store filled by retrieving gives LlamaIndex's own postprocessor its neighbours."""
    store = SimpleDocumentStore()
    many = station.as_retriever(k=30, neighbours=1, route="hybrid")
    store.add_documents([item.node for item in many.retrieve(PAGE)])
    found = station.as_retriever(k=1, neighbours=1, route="hybrid").retrieve(PAGE)
    widened = PrevNextNodePostprocessor(docstore=store, num_nodes=1, mode="both").postprocess_nodes(found)
    reading = station.read(found[0].node.node_id)
    assert reading.beside
    assert [item.node.node_id for item in widened] == [
        reading.beside["previous"],
        reading.id,
        reading.beside["next"],
    ]


def test_the_postprocessors_of_llama_index_work_over_the_scores(station: Index) -> None:
    found = station.as_retriever(k=6, route="hybrid", scored_by="relevance").retrieve(PAGE)
    limit = sorted(item.score or 0.0 for item in found)[3]
    kept = SimilarityPostprocessor(similarity_cutoff=limit).postprocess_nodes(found)
    assert [item.node.node_id for item in kept] == [
        item.node.node_id for item in found if item.node.metadata["relevance"] >= limit
    ]
    ordered = station.as_retriever(k=5, route="hybrid").retrieve(PAGE)
    spread = LongContextReorder().postprocess_nodes(ordered)
    ids = [item.node.node_id for item in ordered]
    assert {spread[0].node.node_id, spread[-1].node.node_id} == set(ids[:2])


def test_what_fuses_several_questions_knows_a_node_again(station: Index) -> None:
    one, two = station.as_retriever(k=4, route="hybrid"), station.as_retriever(k=4, route="graph")
    options = {"num_queries": 1, "similarity_top_k": 20, "use_async": False}
    fusing = QueryFusionRetriever([one, two], llm=MockLLM(), mode="reciprocal_rerank", **options)
    fused = fusing.retrieve("What does PUMP-12 set?")
    ids = [item.node.node_id for item in fused]
    assert len(ids) == len(set(ids)) < 8
    both = {item.node.node_id for item in one.retrieve("What does PUMP-12 set?")} & {
        item.node.node_id for item in two.retrieve("What does PUMP-12 set?")
    }
    assert set(ids[: len(both)]) == both


def test_an_empty_question_is_named(station: Index) -> None:
    with pytest.raises(ConfigurationError, match="empty"):
        station.as_retriever().retrieve(" ")


def test_without_the_package_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['llama_index'] = None\n"
        "from treegraph.query.index import Index\n"
        "index = Index.__new__(Index)\n"
        "for make in (index.as_retriever, index.as_query_engine, index.as_tools):\n"
        "    try: make()\n"
        "    except Exception as error: print(type(error).__name__, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    named = "ModelUnavailable LlamaIndex is not installed: pip install 'treegraph[llama]'"
    assert done.stdout.splitlines() == [named] * 3


def place(document: str, source: str, pages: tuple[int, ...] | None, chunk: str) -> Citation:
    return Citation(document, source, f"Title of {document}", pages, ("Part", "Chapter"), chunk)


def test_what_rests_on_several_documents_claims_no_page_and_no_document_of_its_own() -> None:
    cited = (place("d1", "m/a.pdf", (3,), "c1"), place("d2", "m/b.jsonl#7", None, "c2"))
    node = node_of(Hit("n1", "report", "A summary.", 0.5, cited, context="Pumps and gates", passages=2))
    assert node.ref_doc_id is None
    assert (node.metadata["page_label"], node.metadata["pages"], node.metadata["section"]) == ("", [], "")
    assert node.metadata["file_name"] == "a.pdf, b.jsonl"
    assert node.get_content(MetadataMode.LLM) == (
        "source: m/a.pdf, m/b.jsonl#7\nkind: report\ncontext: Pumps and gates\n\nA summary."
    )


def test_pages_of_one_document_are_told_in_runs() -> None:
    cited = tuple(place("d1", "m/a.pdf", pages, str(pages)) for pages in ((9, 10), (3,), (8,), (10, 11)))
    node = node_of(Hit("n1", "node", "A summary.", 0.5, cited))
    assert node.metadata["page_label"] == "3, 8-11"
    assert node.metadata["pages"] == [3, 8, 9, 10, 11]


def test_title_and_section_are_shown_where_the_context_does_not_say_them() -> None:
    cited = (place("d1", "m/a.pdf", (3,), "c1"),)
    bare = node_of(Hit("c1", "chunk", "Text.", 0.5, cited)).get_content(MetadataMode.LLM)
    assert bare == "source: m/a.pdf\npage_label: 3\ntitle: Title of d1\nsection: Part > Chapter\n\nText."
    said = "Title of d1 > Part > Chapter\n| Part | Pressure |"
    situated = node_of(Hit("c1", "chunk", "Text.", 0.5, cited, context=said)).get_content(MetadataMode.LLM)
    assert situated == f"source: m/a.pdf\npage_label: 3\ncontext: {said}\n\nText."

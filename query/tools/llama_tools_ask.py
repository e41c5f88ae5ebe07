"""What the tool ``ask`` says."""

from __future__ import annotations

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.schema import NodeWithScore

from .llama_arguments import AskArguments

_PLACES = 10
"""Places of an answer that are shown."""


def answered(engine: BaseQueryEngine, asked: AskArguments) -> str:
    """An answer with the places that it cites, or else those that it was made from."""
    response = engine.query(asked.question)
    nodes = response.source_nodes
    cited = [item for item in nodes if item.node.metadata.get("cited")]
    lines = [_place(number, item) for number, item in enumerate((cited or nodes)[:_PLACES], start=1)]
    return "\n".join([str(response).strip(), "", "It rests on:" if lines else "It rests on nothing.", *lines])


def _place(number: int, item: NodeWithScore) -> str:
    metadata = item.node.metadata
    pages = f" p. {metadata['page_label']}" if metadata.get("page_label") else ""
    section = f", {metadata['section']}" if metadata.get("section") else ""
    return f"[{number}] {metadata.get('source', '')}{pages}{section} ({item.node.node_id})"

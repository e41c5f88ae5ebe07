"""What the tool ``ask`` says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.schema import NodeWithScore

from .llama_arguments import AskArguments
from .llama_text import line

_PLACES = 10
"""Places of an answer that are shown."""


def answered(engine: BaseQueryEngine, asked: AskArguments) -> str:
    """An answer with the places that it cites, or else those that it was made from, and what is doubtful
    about it."""
    response = engine.query(asked.question)
    told: Mapping[str, Any] = response.metadata or {}
    nodes = response.source_nodes
    cited = [item for item in nodes if item.node.metadata.get("cited")]
    places = [_place(number, item) for number, item in enumerate((cited or nodes)[:_PLACES], start=1)]
    title = "It rests on:" if told.get("found", True) else "The places nearest to the question:"
    return "\n".join([str(response).strip(), "", *_doubts(told), *([title, *places] if places else [])])


def _doubts(told: Mapping[str, Any]) -> Iterator[str]:
    """Sentences of which something does not stand in what they cite, and editions that say other things."""
    for sentence in told.get("sentences", ()):
        if sentence["flags"]:
            yield f"Doubtful ({'; '.join(sentence['flags'])}): {line(sentence['text'])}"
    for conflict in told.get("conflicts", ()):
        said = [
            f"{one['edition'] or one['valid_from'] or one['citation']['source']}: {line(one['text'])}"
            for one in conflict["statements"]
        ]
        yield f"Editions differ: {' | '.join(said)}"


def _place(number: int, item: NodeWithScore) -> str:
    metadata = item.node.metadata
    pages = f" p. {metadata['page_label']}" if metadata.get("page_label") else ""
    section = f", {metadata['section']}" if metadata.get("section") else ""
    kind = metadata.get("kind", "chunk")
    return f"[{number}] {metadata.get('source', '')}{pages}{section} ({kind} {item.node.node_id})"

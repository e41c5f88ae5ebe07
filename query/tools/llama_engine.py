"""The index's own answers as a query engine of LlamaIndex."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import AsyncStreamingResponse, Response, StreamingResponse
from llama_index.core.callbacks.base import CallbackManager
from llama_index.core.callbacks.schema import CBEventType, EventPayload
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.schema import NodeWithScore, QueryBundle

from ...indexer.errors import ConfigurationError
from ...indexer.types import Citation, Hit
from ..read_result import Reading
from ..result import SearchResult
from .llama_nodes import node_of
from .llama_options import settled
from .llama_stream import later, pieces_of

if TYPE_CHECKING:
    from typing import Unpack

    from .llama_options import AskOptions


class Answered(Protocol):
    """What of an answer the engine needs."""

    @property
    def text(self) -> str:
        """The answer."""
        ...

    @property
    def citations(self) -> Sequence[Citation]:
        """The places that it cites, in the order of its marks."""
        ...

    @property
    def result(self) -> SearchResult:
        """What the evidence came from."""
        ...

    def to_json(self) -> Mapping[str, Any]:
        """All of it as JSON values."""
        ...


Ask = Callable[..., Answered]
"""``ask(question, llm, **options)``, as :meth:`..index.Index.ask`."""
Read = Callable[..., Reading]
"""``read(name, labels)``, as :meth:`..index.Index.read`."""


class AskQueryEngine(BaseQueryEngine):
    """Answers through ``ask``, with options that are settled when the engine is made.

    A response's first source nodes are what the answer cites, in the order of its citations: its mark ``[2]``
    is the second. The other hits follow. Its metadata is the answer's JSON without the hits: sentences with
    citations and flags, ``grounded``, ``found``, ``nearest``, ``conflicts``, the route, calls and tokens.
    With ``streaming`` the text comes in pieces, and nodes and metadata are there once it has all come.
    """

    def __init__(
        self,
        ask: Ask,
        read: Read,
        llm: Any = None,
        streaming: bool = False,
        callback_manager: CallbackManager | None = None,
        **options: Unpack[AskOptions],
    ) -> None:
        """Raises ConfigurationError for an option that no question could be asked with."""
        super().__init__(callback_manager)
        self._ask = ask
        self._read = read
        self._llm = llm
        self._streaming = streaming
        self._options = settled(options)

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}  # the prompts are the index's own

    def _query(self, query_bundle: QueryBundle) -> Response | StreamingResponse:
        question = query_bundle.query_str
        if self._streaming:
            nodes, metadata, pieces = self._streamed(question)
            return StreamingResponse(pieces, nodes, metadata)
        answer = self._answered(question)
        return Response(answer.text, self._sources(answer), _metadata(answer))

    async def _aquery(
        self, query_bundle: QueryBundle
    ) -> Response | StreamingResponse | AsyncStreamingResponse:
        if self._streaming:
            nodes, metadata, pieces = self._streamed(query_bundle.query_str)
            return AsyncStreamingResponse(later(pieces), nodes, metadata)
        return await asyncio.to_thread(self._query, query_bundle)

    def _answered(self, question: str, **more: Any) -> Answered:
        with self.callback_manager.event(CBEventType.QUERY, {EventPayload.QUERY_STR: question}) as event:
            answer = self._ask(question, self._llm, **self._options, **more)
            event.on_end({EventPayload.RESPONSE: answer.text})
        return answer

    def _streamed(
        self, question: str
    ) -> tuple[list[NodeWithScore], dict[str, Any], Generator[str, None, None]]:
        """Nodes and metadata, which are filled once the last of the pieces has been taken, and these."""
        nodes: list[NodeWithScore] = []
        metadata: dict[str, Any] = {}

        def work(tell: Callable[[str], None]) -> None:
            answer = self._answered(question, on_text=tell)
            nodes.extend(self._sources(answer))
            metadata.update(_metadata(answer))

        return nodes, metadata, pieces_of(work)

    def _sources(self, answer: Answered) -> list[NodeWithScore]:
        """A node for each citation, then one for each hit that is not among them."""
        hits = {hit.id: hit for hit in answer.result.hits}
        cited = [hits.get(citation.chunk) or self._cited(citation) for citation in answer.citations]
        known = {hit.id for hit in cited}
        others = [hit for hit in answer.result.hits if hit.id not in known]
        return [
            NodeWithScore(node=node_of(hit, {"cited": hit.id in known}), score=hit.score)
            for hit in [*cited, *others]
        ]

    def _cited(self, citation: Citation) -> Hit:
        """A cited chunk that is no hit itself, such as a neighbour of one, or what a summary rests on."""
        try:
            reading = self._read(citation.chunk, self._options.get("labels"))
        except ConfigurationError:  # another generation is open by now, without it
            return Hit(citation.chunk, "chunk", "", 0.0, (citation,))
        return Hit(citation.chunk, "chunk", reading.text, 0.0, (citation,), context=reading.context)


def _metadata(answer: Answered) -> dict[str, Any]:
    return {name: value for name, value in answer.to_json().items() if name != "hits"}

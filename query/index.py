"""The open index that a user holds: searches and reads one published generation, from many threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from .awaited import awaited
from .opened import OpenGeneration
from .pictured import PicturedIndex
from .read_result import Reading
from .request import Request
from .result import SearchResult
from .search import search
from .traced import traced_answer, traced_search
from .tree_view import TreeView, view

if TYPE_CHECKING:
    from typing import Unpack

    from llama_index.core.base.base_query_engine import BaseQueryEngine
    from llama_index.core.base.base_retriever import BaseRetriever

    from ..indexer.types import Document
    from .answer.result import Answer
    from .graph_view import EntityView
    from .graph_view_path import PathView
    from .looked import Looked
    from .tools.llama_options import EngineOptions, RetrieverOptions, ToolOptions
    from .tools.llama_tools import IndexTool

PARALLEL = 4
"""Questions of one ``search_many`` that are answered side by side."""


class Index(PicturedIndex):
    """An index, open for reading: a context manager, safe from several threads.

    It pins the generation that was published when it was opened until :meth:`refresh`; with ``follow``
    it moves along with each publish, searches under way keeping the one that they began with. The index
    closes ``folder`` with itself. Models load at the first search.
    """

    def search(
        self,
        question: str,
        k: int | None = None,
        route: str | None = None,
        labels: Sequence[str] | None = None,
        filters: Sequence[str] = (),
        sources: Sequence[str] = (),
        as_of: date | None = None,
        neighbours: int | None = None,
        min_relevance: float | None = None,
        explain: bool = False,
        rerank: bool | None = None,
        deadline: float | None = None,
        min_confidence: float | None = None,
    ) -> SearchResult:
        """The ``k`` best hits for ``question``; None stands for the setting of that name.

        ``labels`` are the reader's (None: the owner, []: the public). ``filters`` (``field=value``) must
        all hold, ``sources`` are globs of which one must fit, ``as_of`` is the day on which documents
        must be valid (None: today). ``neighbours`` chunks on either side come with each hit. Passages from
        pages of which OCR or a model was less sure than ``min_confidence`` are left out. What is there after
        ``deadline`` seconds comes back, with what was left out named in ``degraded``.

        Raises ConfigurationError for an empty question or a wrong argument, RouteUnavailable,
        IndexIncompatible when the index was made with other models, and StoreError.
        """
        request = Request(
            question, k, route, labels, filters, sources, as_of, neighbours, min_relevance, explain, rerank,
            deadline, min_confidence,
        )  # fmt: skip
        with self._current() as opened:
            return self._found(request, opened)

    def search_many(self, questions: Sequence[str], **options: Any) -> list[SearchResult]:
        """:meth:`search` for each question, in order, all from one generation."""
        requests = [Request(question, **options) for question in questions]
        with self._current() as opened, ThreadPoolExecutor(PARALLEL) as pool:
            return list(pool.map(lambda request: self._found(request, opened), requests))

    def ask(
        self,
        question: str,
        llm: Any = None,
        *,
        k: int | None = None,
        route: str | None = None,
        labels: Sequence[str] | None = None,
        filters: Sequence[str] = (),
        sources: Sequence[str] = (),
        as_of: date | None = None,
        history: Sequence[Any] = (),
        language: str | None = None,
        budget: int | None = None,
        agentic: bool = False,
        on_text: Callable[[str], None] | None = None,
        deadline: float | None = None,
        explain: bool = False,
    ) -> Answer:
        """An answer in sentences, each with what it cites; the documents' own where there is no model.

        ``llm`` is any LlamaIndex ``LLM`` (None: the configured one). ``history`` holds earlier turns, oldest
        first: pairs of question and answer, or mappings with role and content. ``language`` is that of a
        model's answer (None: the question's), ``budget`` the tokens of evidence, ``deadline`` the seconds
        until an answer, for which a model is then no longer waited for. ``on_text`` is called with pieces of
        the text as they come; where the model fails after that, the answer's text is another. ``agentic``:
        the model judges whether what was found is enough and names further searches, in rounds, which the
        answer's ``steps`` trace. The rest is as in :meth:`search`, and so is what is raised: a model that
        fails is done without. Raises ConfigurationError for ``agentic`` where no model is configured, and
        WorkError where the time was up before anything was found.
        """
        from .answer.asking import answer
        from .answer.request import Question

        asked = Question(
            question, llm, k, route, labels, filters, sources, as_of,
            history, language, budget, on_text, deadline, explain, agentic,
        )  # fmt: skip
        with self._current() as opened:
            find = partial(self._found, opened=opened)
            least = self._settings.min_confidence
            return traced_answer(
                lambda: answer(asked, opened, find, self._models, self._answer_settings, least)
            )

    def as_retriever(self, **options: Unpack[RetrieverOptions]) -> BaseRetriever:
        """A retriever of LlamaIndex that searches with these options, :meth:`search`'s own; its reader's
        ``labels`` are settled here. ``scored_by="relevance"`` gives nodes that score instead of the other.

        Raises ModelUnavailable without the extra ``llama``, ConfigurationError for a wrong option.
        """
        from .tools.llama_package import require_llama_index

        require_llama_index()
        from .tools.llama_retriever import IndexRetriever

        return IndexRetriever(self, **options)

    def as_query_engine(
        self, llm: Any = None, streaming: bool = False, **options: Unpack[EngineOptions]
    ) -> BaseQueryEngine:
        """A query engine of LlamaIndex that answers by :meth:`ask`, with these of its options; its reader's
        ``labels`` are settled here. With ``streaming`` the text comes in pieces.

        Raises ModelUnavailable without the extra ``llama``, ConfigurationError for a wrong option.
        """
        from .tools.llama_package import require_llama_index

        require_llama_index()
        from .tools.llama_engine import AskQueryEngine

        return AskQueryEngine(self.ask, self.read, llm, streaming, **options)

    def as_tools(self, llm: Any = None, **options: Unpack[ToolOptions]) -> list[IndexTool]:
        """Tools of LlamaIndex for an agent: documents, outline, search, read, neighbours, path; with an
        ``llm``, given or configured, ask; with a configured model that sees, look. Their reader's ``labels``
        are settled here, and no call can name others; a result has at most about ``budget`` tokens.

        Raises ModelUnavailable without the extra ``llama``, ConfigurationError for a wrong option.
        """
        from .tools.llama_package import require_llama_index

        require_llama_index()
        from .tools.llama_tools import index_tools
        from .tools.settings import ToolSettings
        from .tools.tool import Desk
        from .tools.toolbox import Toolbox, tools_of

        chosen = ToolSettings(**options)
        writes = llm is not None or self._models.llm() is not None
        ask = partial(self.ask, llm=llm) if writes else None
        tools = tools_of(chosen.route, chosen.k, ask, self.look if self.sees else None)
        return index_tools(Toolbox(Desk(self, chosen.labels, chosen.deadline), chosen.budget, tools))

    def read(self, name: str, labels: Sequence[str] | None = None) -> Reading:
        """A chunk, node, entity, community or document by id, a document by its source, pages by
        ``<source>@<first>-<last>``.

        Raises ConfigurationError where there is nothing under that name for this reader.
        """
        name = name.encode("utf-8", "backslashreplace").decode("utf-8")  # lone surrogates name nothing
        with self._holding_any("read", name) as opened:
            return self._reader(opened, labels).read(name)

    def look(self, name: str, page: int | None, question: str, labels: Sequence[str] | None = None) -> Looked:
        """What a model that sees says of ``question`` when it is shown a page: page ``page`` of a document,
        by its source or id, or the page of a hit, by its id (None: the first that it is cited by).

        The page's picture is drawn from the file that was indexed, and shown with the text that was taken
        from it. Raises ConfigurationError where no such model is configured, and where this reader may see no
        such document or page; PageUnavailable where the file is gone, has changed since, or was indexed
        under an edit, and where its picture fills the model's window; WorkError where the model fails.
        """
        from .look import look, page_asked

        with self._holding_any("look at", name) as opened:
            asked = page_asked(self._reader(opened, labels), name, page)
            file = opened.folder.ledger.file_of(asked.document.id, opened.number)
            return look(question, asked, file, opened.number, self._models.vision(), self._sight)

    def tree(self, node: str | None = None, depth: int = 3, labels: Sequence[str] | None = None) -> TreeView:
        """The tree from ``node`` (its id, or a document's source; None: its root) ``depth`` levels down.

        Raises RouteUnavailable where the index holds no tree, ConfigurationError where there is no such
        node that this reader may see.
        """
        with self._holding("tree") as opened:
            by_source = {document.source: document.id for document in opened.catalogue.documents.values()}
            return view(self._nodes(opened, labels), node, depth, by_source)

    def entity(self, name: str, labels: Sequence[str] | None = None, most: int = 20) -> EntityView:
        """What there is to see of the entity of this name, alias or id, with ``most`` relations and passages.

        Raises RouteUnavailable where the index holds no graph, ConfigurationError where no such entity is
        there for this reader.
        """
        with self._holding("graph") as opened:
            return self._entities(opened, labels, most).view(name)

    def entity_path(self, first: str, second: str, labels: Sequence[str] | None = None) -> PathView:
        """The shortest path from one entity to another, each step with its evidence. Raises as
        :meth:`entity` does."""
        from .graph_view_path import between

        with self._holding("graph") as opened:
            reader, access = self._entities(opened, labels), opened.readers.everything(labels)
            return between(first, second, opened.graph.snapshot, reader, access, self._graph_settings)

    def page_texts(
        self, document: str, labels: Sequence[str] | None = None, first: int = 1, last: int | None = None
    ) -> dict[int, str]:
        """The texts of a document's pages by number, all or from ``first`` to ``last``; ``document`` is its
        id or source.

        Raises ConfigurationError where this reader may see no such document. Empty where it has no pages.
        """
        with self._holding_any("read", document) as opened:
            return self._reader(opened, labels).page_texts(document, first, last)

    def readable(self, labels: Sequence[str] | None = None) -> tuple[Document, ...]:
        """The documents that a reader with ``labels`` may see, by source."""
        with self._current() as opened:
            return opened.readers.documents(labels) if opened else ()

    asearch = awaited(search)
    asearch_many = awaited(search_many)
    aask = awaited(ask)
    aread = awaited(read)
    alook = awaited(look)
    atree = awaited(tree)
    aentity = awaited(entity)
    aentity_path = awaited(entity_path)

    def _found(self, request: Request, opened: OpenGeneration | None) -> SearchResult:
        parts = (self._models, self._settings, self._limits, self._router_settings)
        return traced_search(lambda: search(request, opened, *parts))

"""Growing the tree of the generation being built: shape, summaries, vectors, rows.

Every node's summary depends on what its children say and for how many chunks, and on nothing else, so that
after an edit only the paths above it are summarized again, and a build that was cut short goes on with what
it had.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby

from ..indexer.digests import digest
from ..indexer.owed import is_owed, owed_key
from ..indexer.stores.ledger_nodes import NodeRow
from ..indexer.stretches import stretches
from ..indexer.tree.facts import Facts
from ..indexer.tree.skeleton import Branch, Skeleton
from ..indexer.tree.summarizer import Passage, Request, Summarizer, Summary
from ..indexer.types import Document, access_class
from .events import Event, Listener
from .leaves import LeafRows, on_pages
from .model_counts import ModelCounts
from .node_rows import NodeContent
from .node_writer import STOPPED, NodeWriter
from .results_in_order import results_in_order

_BATCH = 64
"""Nodes summarized, embedded and written at once: what a kill may lose."""


@dataclass(frozen=True, slots=True)
class _Covered:
    """What lies beneath a branch. A leaf with two parents there is two of its ``leaves``."""

    leaves: int
    documents: tuple[str, ...]
    pages: tuple[int, int] | None


class TreeGrower:
    """Makes the nodes of ``skeleton`` over ``rows``, lowest level first, and has them written.

    ``tokens`` is the most of a summary. A summary that stands in for what a model could not be asked for is
    kept as made of other things, and with ``upgrade`` the model is asked again; ``owing`` is called before
    what rests on such a one is summarized.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        rows: LeafRows,
        documents: Mapping[str, Document],
        summarizer: Summarizer,
        tokens: int,
        writer: NodeWriter,
        listen: Listener,
        upgrade: bool = True,
        owing: Callable[[], None] = lambda: None,
    ) -> None:
        self._upgrade = upgrade
        self._owing = owing
        self.counts = ModelCounts()
        self._skeleton = skeleton
        self._rows = rows
        self._documents = documents
        self._summarizer = summarizer
        self._tokens = tokens
        self._writer = writer
        self._listen = listen
        self._leaves = {leaf.id: place for place, leaf in enumerate(rows.leaves.items)}
        self._facts = Facts(rows.leaves.items, documents)
        self._covered: dict[str, _Covered] = {}
        self._said: dict[str, str] = {}
        self._size: dict[str, int] = {}

    def grow(self) -> None:
        """Make every node that is not there as it should be. Raises Cancelled; what was made is kept."""
        done, total = 0, len(self._skeleton.branches)
        self._listen(Event("tree", 0, total, "nodes"))
        with ThreadPoolExecutor(self._summarizer.concurrency, "treegraph-summarize") as pool:
            owed = False
            for _, level in groupby(self._skeleton.upward(), key=lambda branch: branch.level):
                if owed:
                    self._owing()
                for batch in stretches(list(level), _BATCH):
                    contents = list(self._contents(batch, pool))
                    self._writer.put(contents)
                    owed = owed or any(is_owed(content.made) for content in contents)
                    done += len(batch)
                    self._listen(Event("tree", done, total, "nodes"))
        self._writer.finish(self._skeleton.branches.keys())

    def _contents(self, batch: Sequence[Branch], pool: ThreadPoolExecutor) -> Iterator[NodeContent]:
        made = {branch.id: self._made_of(branch) for branch in batch}
        known = {branch.id: self._known(branch, made[branch.id]) for branch in batch}
        new = [branch for branch in batch if known[branch.id] is None]
        summaries = dict(zip((b.id for b in new), self._summarized(new, pool), strict=True))
        for branch in batch:
            yield self._content(branch, known[branch.id], summaries.get(branch.id), made[branch.id])

    def _known(self, branch: Branch, made: str) -> NodeRow | None:
        """The row that says what the branch is to say, or what stands in for it while that is not asked."""
        known = self._writer.known(branch.id, made)
        if known is None and not self._upgrade:
            known = self._writer.known(branch.id, owed_key(made))
        return known

    def _summarized(self, branches: Sequence[Branch], pool: ThreadPoolExecutor) -> list[Summary]:
        requests = self._requests(branches)
        return list(results_in_order(pool, self._summary, requests, self._writer.cancel, STOPPED))

    def _summary(self, request: Request) -> Summary:
        """One summary, counted as soon as it is paid for, also where nobody waits for it any more."""
        summary = self._summarizer.summarize(request)
        self.counts.take(summary)
        return summary

    def _made_of(self, branch: Branch) -> str:
        """The digest of all that a branch's summary depends on; a chunk's id stands for its text. Where the
        passages are from is not in it: a moved page or a renamed file makes no summary worth paying for
        again."""
        self._covered[branch.id] = self._cover(branch)
        children = [self._stated(child) for child in branch.children]
        return digest([self._summarizer.name, self._tokens, self._spoken(branch), children])

    def _stated(self, child: str) -> str | list[str | int]:
        """What a child says, and for how many leaves, which is what its words weigh above it."""
        return [self._said[child], self._covered[child].leaves] if child in self._said else child

    def _spoken(self, branch: Branch) -> str | None:
        """The language of what lies beneath a branch."""
        return language_of([self._documents[document] for document in self._covered[branch.id].documents])

    def _cover(self, branch: Branch) -> _Covered:
        beneath = [self._covered[c] if c in self._covered else self._leaf(c) for c in branch.children]
        documents = tuple(sorted({document for each in beneath for document in each.documents}))
        pages = [each.pages for each in beneath if each.pages is not None]
        one = len(documents) == 1 and len(pages) == len(beneath)
        return _Covered(
            leaves=sum(each.leaves for each in beneath),
            documents=documents,
            pages=(min(p[0] for p in pages), max(p[1] for p in pages)) if one else None,
        )

    def _leaf(self, name: str) -> _Covered:
        leaf = self._rows.leaves.items[self._leaves[name]]
        return _Covered(1, (leaf.document,), self._rows.pages[name])

    def _content(
        self, branch: Branch, known: NodeRow | None, summary: Summary | None, made: str
    ) -> NodeContent:
        covered = self._covered[branch.id]
        if known is not None:
            made, said, tokens, by, text = known.made, known.said, known.tokens, known.by, None
        else:
            assert summary is not None
            made = owed_key(made) if summary.owed else made
            said, tokens, by, text = digest(summary.text), summary.tokens, summary.by, summary.text
        self._said[branch.id], self._size[branch.id] = said, tokens
        documents = [self._documents[document] for document in covered.documents]
        language = language_of(documents)
        return NodeContent(
            branch=branch,
            made=made,
            said=said,
            tokens=tokens,
            by=by,
            documents=covered.documents,
            classes=tuple(sorted({access_class(document.labels) for document in documents})),
            pages=covered.pages,
            title=documents[0].title if len(documents) == 1 else "",
            language=language,
            facts=self._facts.of(branch, covered.documents, language),
            text=text,
        )

    def _requests(self, branches: Sequence[Branch]) -> list[Request]:
        texts = self._writer.texts(
            {child: self._rows.keys.get(child) for branch in branches for child in branch.children}
        )
        return [
            Request(
                passages=[self._passage(child, texts[child]) for child in branch.children],
                tokens=self._tokens,
                language=self._spoken(branch),
            )
            for branch in branches
        ]

    def _passage(self, name: str, text: str) -> Passage:
        if name in self._leaves:
            leaf = self._rows.leaves.items[self._leaves[name]]
            return Passage(name, text, leaf.tokens, self._source(self._leaf(name)))
        covered = self._covered[name]
        return Passage(name, text, self._size[name], self._source(covered), covered.leaves)

    def _source(self, covered: _Covered) -> str:
        if len(covered.documents) > 1:
            return f"{len(covered.documents)} documents"
        return on_pages(self._documents[covered.documents[0]].source, covered.pages)


def language_of(documents: Sequence[Document]) -> str | None:
    """The language of most of these documents."""
    counts = Counter(document.language for document in documents if document.language)
    return min(counts, key=lambda name: (-counts[name], name), default=None)

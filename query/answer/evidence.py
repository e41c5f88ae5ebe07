"""The evidence for an answer: what of a search's hits a reader, or a model, is handed, and in which order.

Hits are taken best first until the budget is used. A passage comes with what completes it; of a summary
come the passages that it rests on, before the summary itself; of a walk over the graph come the sentences
that state its relations, with their conditions. Then they are put in an order to be read: document by
document, the best first, and within one, passages that adjoin in the document's own order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...indexer.models.usage import estimate_tokens
from ...indexer.types import Citation, Document, Hit, Part
from ..chunk_parts import adjoin, joined, narrowed, own_parts, parts_of
from ..result import SearchResult, cite, page_list
from .citing import quoted_in, stated_in
from .completing import completed
from .passages import Passages, Payload, Place
from .row_names import row_names

LEAVES = 4
"""Passages that are taken of one summary."""
STATED = 6
"""Sentences of relations that are taken along."""
_ENTRY = re.compile(r"^\s*\d{1,4}\s+(?:\d+|[A-Z])(?:\.\d+)*\s+\S|^\D.*[\s.…]\d{1,4}(?:, ?\d{1,4})*\s*$")
"""An entry of a table of contents: the page before or behind its title."""
_FEWEST_ENTRIES, _ENTRIES = 5, 0.7
FIRST = 3
"""Hits whose ways an extract tells of."""
FRAME = 24
"""Tokens that a source takes beside its text: its marks, its place."""


@dataclass(frozen=True, slots=True)
class Source:
    """A passage that an answer may cite. ``text`` is what stands in the document (of a ``summary``, what
    was made of it), ``relevance`` how surely it bears on the question (0..1), ``rank`` its place among the
    evidence, best first. ``place`` is its document and number there; None for a summary. ``parts`` say which
    section and page each part of the text stands in; empty where all of it does in one, or that is not
    known. ``over`` is the caption of a table of which it is but rows."""

    text: str
    citation: Citation
    document: Document | None
    relevance: float
    rank: int
    place: Place | None = None
    language: str | None = None
    summary: bool = False
    code: bool = False
    parts: tuple[Part, ...] = ()
    over: str = ""

    def quoted(self, text: str, announced: str = "") -> Source:
        """This source as it is cited for ``text``, which stands in it, and what that ``announced``."""
        parts = quoted_in(self.text, self.parts, text, announced)
        return replace(self, citation=narrowed(self.citation, parts))

    def stating(self, text: str) -> Source:
        """This source as it is cited for ``text``, which says in other words what stands in it."""
        parts = stated_in(self.text, self.parts, text, self.language)
        return replace(self, citation=narrowed(self.citation, parts))


def gather(result: SearchResult, passages: Passages, budget: int) -> tuple[Source, ...]:
    """The evidence of ``result`` in an order to be read, in at most ``budget`` tokens (but at least one
    source, where there is any)."""
    pieces = sorted(_pieces(result.hits, passages), key=_is_contents)
    chunks = [piece.payload for piece in pieces if piece.kind == "chunk"]
    around = passages.around(chunks)
    taken = _Taken(passages, around, budget)
    for piece in pieces:
        taken.add(piece)
    return _ordered(taken.sources)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Something that may become a source: a chunk, a ``stated`` sentence of one, or a ``summary``."""

    kind: str
    payload: Payload
    relevance: float
    text: str = ""
    hit: Hit | None = None


def _pieces(hits: Sequence[Hit], passages: Passages) -> Iterator[_Piece]:
    """What the hits give, best first, each once."""
    cited = [
        citation.chunk for hit in hits for citation in hit.citations[: 1 if hit.kind == "chunk" else LEAVES]
    ]
    steps = list(_stated(hits))
    known = passages.named([*cited, *(str(step["chunk"]) for step in steps)])
    seen: set[str] = set()
    for place, hit in enumerate(hits):
        for citation in hit.citations[:LEAVES]:
            if citation.chunk in known and citation.chunk not in seen:
                seen.add(citation.chunk)
                yield _Piece("chunk", known[citation.chunk], hit.relevance)
        if hit.kind != "chunk" and any(citation.chunk not in seen for citation in hit.citations):
            yield _Piece("summary", {}, hit.relevance, hit.text, hit)
        if place == 0:
            for step in steps:
                if (chunk := known.get(str(step["chunk"]))) is not None:
                    yield _Piece("stated", chunk, hit.relevance, _sentence(step))


def _is_contents(piece: _Piece) -> bool:
    """Whether a passage is of a table of contents or an index: it says where something stands, not what."""
    lines = [line for line in str(piece.payload.get("text", "")).split("\n") if line.strip()]
    entries = sum(1 for line in lines if _ENTRY.search(line))
    return len(lines) >= _FEWEST_ENTRIES and entries >= _ENTRIES * len(lines)


def stated_by(hits: Sequence[Hit]) -> frozenset[str]:
    """The sentences that state the relations on the way to the first hits."""
    return frozenset(" ".join(str(step["sentence"]).split()) for step in _stated(hits[:FIRST]))


def _stated(hits: Sequence[Hit]) -> Iterator[Mapping[str, Any]]:
    """The relations on the ways to the hits, each once."""
    steps = {
        step["id"]: step
        for hit in hits
        for step in hit.path or ()
        if step["kind"] == "relation" and step.get("sentence") and step.get("chunk")
    }
    yield from list(steps.values())[:STATED]


def _sentence(step: Mapping[str, Any]) -> str:
    """The sentence that states a relation, with the condition under which it holds."""
    sentence, condition = str(step["sentence"]), str(step.get("condition") or "")
    whole = " ".join(sentence.split())
    return whole if " ".join(condition.split()) in whole else f"{whole} ({condition})"


class _Taken:
    """The sources that were taken so far."""

    def __init__(self, passages: Passages, around: Mapping[Place, Payload], budget: int) -> None:
        self.sources: list[Source] = []
        self._passages = passages
        self._around = around
        self._left = budget
        self._texts: list[str] = []

    def add(self, piece: _Piece) -> None:
        """Take a piece, unless there is no room for it or all of it is there already."""
        source = self._source(piece)
        folded = " ".join(source.text.split()).casefold()
        if not folded or any(folded in known for known in self._texts):
            return
        within = [at for at, known in enumerate(self._texts) if known in folded]
        price = _price(source) - sum(_price(self.sources[at]) for at in within)
        if price > self._left and self.sources:
            return
        self._left -= price
        if within:  # what is within the new one gives it its place
            self._texts[within[0]] = folded
            self.sources[within[0]] = replace(source, rank=self.sources[within[0]].rank)
            for at in reversed(within[1:]):
                del self._texts[at], self.sources[at]
        else:
            self._texts.append(folded)
            self.sources.append(replace(source, rank=len(self.sources)))

    def _source(self, piece: _Piece) -> Source:
        if piece.hit is not None:
            return self._summary(piece.hit)
        payload = piece.payload
        document = self._passages.documents.get(payload["document"])
        citation = cite(payload, self._passages.documents)
        language, code = payload.get("language"), payload.get("block") == "code"
        place = (payload["document"], int(payload["ordinal"]))
        source = Source(piece.text, citation, document, piece.relevance, 0, place, language, code=code)
        if piece.kind == "chunk":
            return self._whole(source, payload, place)
        within = quoted_in(str(payload["text"]), parts_of(payload), piece.text)
        return replace(source, citation=narrowed(citation, within))

    def _whole(self, source: Source, payload: Payload, place: Place) -> Source:
        """A chunk as a source: its text with what completes it, and the pages and parts of both."""
        document, ordinal = place
        before = self._around.get((document, ordinal - 1), {})
        after = self._around.get((document, ordinal + 1), {})
        text, pages = str(payload["text"]), set(page_list(payload) or ())
        head, tail = completed(_beside(before, payload), text, _beside(after, payload))
        if head and (of_head := page_list(before)):
            pages.add(of_head[-1])
        if tail and (of_tail := page_list(after)):
            pages.add(of_tail[0])
        glue = "\n" if head.startswith("|") else " "
        body = text.strip("\n") if not head else text.lstrip()
        own = own_parts(payload)
        head_parts = own_parts(before)[-1:] if head else ()
        named = row_names(payload, source.citation.title) if not head else None
        if named is not None:
            head, glue, head_parts = named.head, "\n", own[:1]
        begun = f"{head}{glue}" if head else ""
        whole = f"{begun}{body.rstrip()}{tail}"
        parts = joined(
            head_parts,
            (own, len(begun) - text.index(body)),
            (own_parts(after)[:1] if tail else (), len(whole) - len(tail)),
        )
        citation = replace(source.citation, pages=tuple(sorted(pages)) or None)
        over = named.over if named is not None else ""
        return replace(source, text=whole, citation=citation, parts=parts, over=over)

    def _summary(self, hit: Hit) -> Source:
        """A summary is cited by its best passage, with the pages of all its passages in that document."""
        first = hit.citations[0]
        same = [citation for citation in hit.citations if citation.document == first.document]
        pages = sorted({page for citation in same for page in citation.pages or ()})
        citation = replace(first, pages=tuple(pages) or None)
        document = self._passages.documents.get(first.document)
        language = document.language if document else None
        return Source(hit.text, citation, document, hit.relevance, 0, None, language, summary=True)


def _price(source: Source) -> int:
    return estimate_tokens(source.text) + FRAME


def _beside(payload: Payload, of: Payload) -> str:
    """The text of the chunk beside one, if they adjoin in one section; nothing of one that its source cut."""
    if not payload or of.get("record") or not adjoin(payload, of):
        return ""
    start, end = int(payload["start"]), int(payload["end"])
    text = str(payload["text"])
    if start < of["start"] < end:  # they overlap
        return text[: of["start"] - start]
    return text[of["end"] - start :] if start < of["end"] < end else text


def _ordered(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Sources as they are best read: by document, the best first; where they adjoin, as they stand there."""
    groups: list[list[Source]] = []
    for source in sorted(sources, key=lambda s: (s.citation.document, s.place[1] if s.place else -1, s.rank)):
        if groups and _adjoin(groups[-1][-1], source):
            groups[-1].append(source)
        else:
            groups.append([source])
    best = {id(group): min(source.rank for source in group) for group in groups}
    documents: dict[str, int] = {}
    for group in groups:
        name = group[0].citation.document
        documents[name] = min(documents.get(name, best[id(group)]), best[id(group)])
    groups.sort(key=lambda group: (documents[group[0].citation.document], best[id(group)]))
    return tuple(source for group in groups for source in group)


def _adjoin(first: Source, second: Source) -> bool:
    if first.place is None or second.place is None or first.place[0] != second.place[0]:
        return False
    return second.place[1] - first.place[1] <= 1

"""Whether anything in an index bears on a question, before a model is asked or an extract made.

Measured on manuals and financial reports, each question with its own document in the index and with it
left out (three of fifteen documents are near duplicates of others): a floor of .3 refuses none of those
that can be answered and 28 % of the others, .45 refuses 1 % and 37 %. In scripts without spaces the embedder
may not know a word, and then its likeness is noise: there the share of the question's words that a hit holds
counts. On Chinese questions that refuses 2 % of those that can be answered and half of the others.
"""

from __future__ import annotations

from ...indexer.types import Hit
from ...indexer.word_forms import is_dense
from ..result import SearchResult

JUDGED = 5
"""The first hits, of which one must bear on the question."""
SHARE = 0.5
"""The share of its words that a question in a script without spaces needs, of the floor."""
SURE = 2.0
"""How far over the floor a relevance is that needs no words."""


def bears(question: str, result: SearchResult, floor: float) -> bool:
    """Whether one of the first hits of ``result``, which was explained, is relevant to ``question``."""
    judged = result.hits[:JUDGED]
    if not is_dense(question):
        return any(hit.relevance >= floor for hit in judged)
    return any(_share(hit) >= SHARE * floor or hit.relevance >= SURE * floor for hit in judged)


def _share(hit: Hit) -> float:
    """The share of the question's words in a hit; of a summary its relevance, that of its best passage."""
    if hit.kind != "chunk" or hit.explanation is None:
        return hit.relevance
    return float(hit.explanation["coverage"])

"""Whether anything in an index bears on a question, before a model is asked or an extract made.

Measured on manuals and financial reports, each question with its own document in the index and with it
left out (three of fifteen documents are near duplicates of others): a floor of .3 refuses none of those
that can be answered and 28 % of the others, .45 refuses 1 % and 37 %. In scripts without spaces the embedder
may not know a word, and then its likeness is noise: there the share of the question's words that a hit holds
counts, but for those that any question is asked with. On Chinese questions that refuses 1.5 % of those that
can be answered and 38 % of the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ...indexer.types import Hit
from ...indexer.word_forms import is_dense
from ..result import SearchResult

_PLAIN = re.compile(
    r"[\u3041-\u309f]{1,2}|什么|怎么|么样|如何|哪里|哪个|哪些|多少|为什|是什|是哪|的是|了什|是多|何で|何が|何を|何人"
    r"|입니|니까|습니|합니|까요|나요|어디|디입|어떻|떻게|무엇|엇입|얼마|마입|마나|인가|가요|는가|에는|에서|으로"
)
"""Pairs of characters that a question is asked with."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.+-]{2,}")
"""A name in Latin letters within a question in another script: nothing that leaves it out answers it."""
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
    if (names := _NAME.findall(question)) and not any(_speaks_of(hit, names) for hit in judged):
        return False
    terms = {form: weight for form, weight in _terms(result.explanation) if not _PLAIN.fullmatch(form)}
    return any(_share(hit, terms) >= SHARE * floor or hit.relevance >= SURE * floor for hit in judged)


def _speaks_of(hit: Hit, names: Iterable[str]) -> bool:
    """Whether a hit, or what it stands under, has one of these names."""
    above = (text for cited in hit.citations for text in (cited.source, cited.title, *cited.section))
    said = "\n".join((hit.text, hit.context, *above)).casefold()
    return any(name.casefold() in said for name in names)


def _share(hit: Hit, terms: Mapping[str, float]) -> float:
    """The share of the question's words in a hit; of a summary its relevance, that of its best passage."""
    if hit.kind != "chunk":
        return hit.relevance
    found = sum(terms.get(form, 0.0) for form, _ in _terms(hit.explanation))
    return found / (sum(terms.values()) or 1.0)


def _terms(explanation: Mapping[str, Any] | None) -> Iterable[tuple[str, float]]:
    return dict((explanation or {}).get("terms", {})).items()

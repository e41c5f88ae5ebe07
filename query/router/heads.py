"""What a question wants counted or listed: the "relays" of "how many relays are there"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...indexer.function_words import LANGUAGES, content_words
from ...indexer.word_forms import is_dense, normalise, tokens
from .features import LONGEST

MOST_WORDS = 4
"""Words of the longest thing that is counted."""
MOST = 6
"""Things that a question may want counted: each is looked for in all that the index holds."""
_NOUN = 200
"""Characters behind the words that ask in which the thing is looked for."""
_BEFORE = re.compile(
    r"(?<!\w)(?:how many|(?:the )?(?:total )?number of|count(?: of)?|list(?: of)?|enumerate|name all"
    r"|which|what are"
    r"|wie ?viele?|(?:die )?anzahl (?:der|von|aller)|liste|nenne|welche|combien d['’e]\s*|le nombre d['’e]\s*"
    r"|cuánt[oa]s|el número de|quant[ie]|quant[oa]s|hoeveel|сколько|количество)"
    r"(?:\s+(?:all|every|of|the|alle[nr]?|die|der|different|verschiedene[nr]?|tou[st]e?s?|les|tod[oa]s|l[oa]s))*\s+",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"(?<!\w)(?:all|every|alle|tous les|toutes les|tod[oa]s l[oa]s)(?:\s+(?:of|the|die))*\s+", re.IGNORECASE
)
_STOPS = frozenset(
    ("gibt", "there", "exist", "exists", "y", "hay", "existen", "sind", "enthält", "has", "does")
)
"""Words that end what is counted, though they are no function words of their language."""
_PLAIN = _STOPS | {
    *("available", "altogether", "total", "here", "index", "indexed", "collection", "corpus", "library"),
    *("read", "me", "please", "insgesamt", "hier", "vorhanden", "sammlung", "disponibles", "ici", "aquí"),
}
"""Words that set no condition on what is counted."""
_TELLING = 2
"""Signs of a script without spaces that say something by themselves."""
_BREAK = re.compile(r"[,;:.?!()]")
_DENSE_AFTER = re.compile(
    r"(?:多少[个個种種条條台项項]?|几[个種种类条台项]|幾[個種]|列出|列举|列舉|所有的?|全部的?|有哪些|哪些|すべての|全ての|모든|전체)+"
    r"\s*(?P<head>[^，。？?、\s的之はがをの은는이가를을]{1,20})"
)
_DENSE_BEFORE = re.compile(
    r"(?P<head>[^，。？?、\s的の의]{1,20}?)\s*(?:有多少|有几|有哪些|(?:は|が|を)?(?:いくつ|何[個種台本件]|すべて|全て|一覧|列挙|の数)"
    r"|(?:은|는|이|가|를|을)?\s*(?:몇|모두|목록|개수|전부|나열))"
)


def heads_of(question: str, languages: Sequence[str]) -> list[str]:
    """What a question wants counted or listed, as it stands there, the likeliest first and ``MOST`` at most;
    empty where it does not say."""
    question = question[:LONGEST]
    found = [match["head"] for match in _DENSE_AFTER.finditer(question)]
    found += [match["head"] for match in _DENSE_BEFORE.finditer(question)]
    for pattern in (_BEFORE, _ALL):
        for match in pattern.finditer(question):
            found += _noun(question[match.end() : match.end() + _NOUN], languages)
    return list(dict.fromkeys(head for head in found if head))[:MOST]


def beside(question: str, head: str, languages: Sequence[str]) -> tuple[str, ...]:
    """The words of a question that say what ``head`` is to be like: "German" of "how many documents are in
    German". Empty where all of the kind are asked for."""
    left = question[:LONGEST]
    for pattern in (_DENSE_AFTER, _DENSE_BEFORE, _BEFORE, _ALL):
        left = pattern.sub(" ", left)
    left = left.replace(head, " ")
    said = [word for word in tokens(normalise(left)) if word.casefold() not in _PLAIN]
    said = [word for word in said if not (is_dense(word) and len(word) < _TELLING)]
    spoken = [*languages, *LANGUAGES]  # the question may be in another language than the documents
    return tuple(dict.fromkeys(content_words(["thing", *said], spoken)[1:]))


def _noun(rest: str, languages: Sequence[str]) -> Iterator[str]:
    """The words at the beginning of ``rest``, to the first that means nothing by itself; then the last of
    them, which says the kind in most languages."""
    words = _BREAK.split(rest, maxsplit=1)[0].split()[: MOST_WORDS + 1]
    kept: list[str] = []
    for word in words:
        said = tokens(normalise(word))
        if not said or any(map(is_dense, said)) or word.casefold() in _STOPS or not _means(said, languages):
            break
        kept.append(word)
    if 0 < len(kept) <= MOST_WORDS:
        yield " ".join(kept)
        yield kept[-1]


def _means(said: Sequence[str], languages: Sequence[str]) -> bool:
    """Whether a word is no function word; beside one that is none, since alone every word is kept."""
    return len(content_words(["thing", *said], languages)) > 1

"""What limits a statement: the clauses of its sentence that say when it holds, and when it does not."""

from __future__ import annotations

import re
from functools import cache

from ..word_forms import primary

Span = tuple[int, int]

_OPENERS = {
    "en": r"""only (?:if|when|while|after|in|for|on|with)|(?<!as )(?<!even )if|unless|whenever|when
        |provided that|(?:as|so) long as|except(?:ing)?(?: that| when| if| in| for| on)?|in case
        |until|only""",
    "de": r"""nur (?:wenn|falls|bei|in|im|mit)|wenn|falls|sofern|außer(?: wenn| in| im| bei)?|es sei denn
        |solange|vorausgesetzt|ausgenommen|bis""",
    "fr": r"""seulement si|uniquement si|(?<!comme )si|sauf(?: si| en| dans| lorsque)?|lorsque|quand
        |à moins que|tant que|pourvu que|à condition que|jusqu'à ce que""",
    "es": r"""s[oó]lo si|solamente si|únicamente si|(?<!como )si|salvo(?: que| si| en)?
        |excepto(?: si| en| cuando)?|cuando|a menos que|siempre que|mientras|con tal de que|hasta que""",
}  # fmt: skip
"""What opens a condition, by language; a line after the first begins with its "|"."""
_REPORTED = re.compile(
    r"(?:see|check(?:s|ed)?|determine[sd]?|know|tests?|ask(?:s|ed)?|indicates?|decide|"
    r"prüfen|prüft|wissen|fragen)\s+\Z",
    re.IGNORECASE,
)
_LEADS = re.compile(r"[\s\"'“„(\[*_•–—-]*\Z")
_CLAUSE_END = re.compile(r",(?!\d)\s+|;\s|:\s|\)|，")
_TAIL_END = re.compile(
    r";\s|\)|,\s+(?:but|which|otherwise|so|in which case|aber|sonst|mais|sinon|pero|si no)\b|\.\s*\Z|\s*\Z"
)
_AFTER_ONLY = re.compile(r" (?:available|valid|supported|allowed|possible)? ?(?:in|on|for|with|if|when)\b")
_DENSE_OPENERS = re.compile(
    r"(?:只有(?=[^。；\n]{0,80}才)|仅当|只有当|除非|如果|假如|若是|当(?=[^，。；\n]{1,80}时)"
    r"|除了?(?=[^，。；\n]{1,60}[以之]?外))[^，。；！？\n]{1,200}"
    r"|(?:ただし|但し)[、，]?[^。！？\n]{1,200}"
)
_JA_ENDING = re.compile(
    r"[^、。！？\n]{1,160}?(?:場合(?:に限り|のみ|は|には|に|を除き|を除いて)?|ときに?は?|時に限り|限り|でない限り"
    r"|以外では?)(?=[、。のに])"
)
_KO_ENDING = re.compile(
    r"(?:[^,.!?\n]|\.(?=\S)){1,160}?(?:경우(?:에만|에는|에)?|때(?:만|에만|에는|에|는)?|않으면|않는 한|하면"
    r"|이면|으면|제외하고)(?=[ ,.])"
)
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_KANA = re.compile(r"[\u3041-\u3096]")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_LONGEST = 300


def condition_spans(sentence: str, language: str | None) -> list[Span]:
    """Where the conditions and exceptions of a sentence stand in it, ascending, without their full stop."""
    if _HAN.search(sentence) or _HANGUL.search(sentence):
        spans = _dense(sentence)
        if spans or not _spaced_opener(language).search(sentence):
            return spans
    found: list[Span] = []
    for match in _spaced_opener(language).finditer(sentence):
        if found and match.start() < found[-1][1]:
            continue
        if _REPORTED.search(sentence, max(0, match.start() - 14), match.start()):
            continue
        span = _clause(sentence, match)
        if span is not None:
            found.append(span)
    return found


def condition_text(sentence: str, spans: list[Span]) -> str:
    """The conditions in the words of the sentence; several are joined by "; "."""
    return "; ".join(" ".join(sentence[start:end].split()) for start, end in spans)


@cache
def _spaced_opener(language: str | None) -> re.Pattern[str]:
    code = primary(language) if language else "en"
    words = "".join(line.strip() for line in _OPENERS.get(code, _OPENERS["en"]).splitlines())
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)


def _clause(sentence: str, match: re.Match[str]) -> Span | None:
    start = match.start()
    if _LEADS.match(sentence[:start]):
        end = _CLAUSE_END.search(sentence, match.end(), start + _LONGEST)
        return (start, end.start()) if end else None
    if match[0].casefold() == "only" and not _AFTER_ONLY.match(sentence, match.end()):
        return None
    tail = _TAIL_END.search(sentence, match.end(), start + _LONGEST)
    end_at = tail.start() if tail else min(len(sentence), start + _LONGEST)
    return (start, end_at) if end_at - match.end() > 1 else None


def _dense(sentence: str) -> list[Span]:
    spans = [match.span() for match in _DENSE_OPENERS.finditer(sentence)]
    if _KANA.search(sentence):
        spans += [match.span() for match in _JA_ENDING.finditer(sentence)]
    if _HANGUL.search(sentence):
        spans += [_trimmed(sentence, match) for match in _KO_ENDING.finditer(sentence)]
    spans.sort()
    return [span for at, span in enumerate(spans) if at == 0 or span[0] >= spans[at - 1][1]]


def _trimmed(sentence: str, match: re.Match[str]) -> Span:
    start = match.start()
    while start < match.end() and sentence[start].isspace():
        start += 1
    return start, match.end()

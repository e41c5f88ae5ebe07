"""Definitions by their layout: glossary entries, definition lists, terms in bold before what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .definitions import is_term
from .wording import plain, words_said

_GLOSSARY = re.compile(
    r"(?:[A-Z\d][\d.]*\s+)?(?:(?:glossary|glossaire|glossar|glosario|glossario)(?:\s.*)?|"
    r"(?:terms|abbreviations|acronyms|symbols|definitions|begriffe|abkürzungen|définitions|definiciones)"
    r"(?:(?:,|\s+and|\s+und|\s+et|\s+y)\s+\w+)*|"
    r"(?:list|definition)s? of (?:abbreviations|acronyms|symbols|terms)|"
    r"terminology|nomenclature|fachbegriffe|"
    r"begriffserklärung(?:en)?|abkürzungsverzeichnis|terminologie|terminología|"
    r".*(?:用語集|用語の定義|略語|术语|術語|词汇表|名词解释|缩写|용어|약어).*)",
    re.IGNORECASE,
)
_BOLD = re.compile(
    r"[-*+•]?\s*(?P<m>\*\*|__)(?P<term>[^*_\n]{2,60}?)\s*(?P<inner>[:：.])?(?P=m)\s*"
    r"(?(inner)|(?::|：|—|–|--?)\s)\s*(?P<text>\S.*)",
    re.DOTALL,
)
_RUN_IN = re.compile(r"[-•]?\s*(?P<term>[^:：—–\n.。]{2,50}?)\s*(?::|：|—|–|\s-)\s+(?P<text>\S.*)", re.DOTALL)
_ENTITLED = re.compile(r"(?P<term>[^.\n。]{2,50})\.\s+(?P<text>\S.*)", re.DOTALL)
_BELOW = re.compile(r"(?P<term>[^\n]{2,50})\n(?::[ \t]+)?(?P<text>\S.*)", re.DOTALL)
_LISTED = re.compile(r"(?P<term>[^\n:]{2,60})\n:[ \t]+(?P<text>\S.*)", re.DOTALL)
_LABELS = re.compile(
    r"(?:note|notes|warning|caution|danger|important|tip|hint|example|examples|see also|default|syntax|usage|"
    r"returns?|parameters?|arguments?|input|output|remarks?|required|optional|type|author|version|date|"
    r"step \d+|known fault|achtung|hinweis|warnung|wichtig|beispiel|tipp|vorsicht|gefahr|siehe auch|"
    r"attention|remarque|exemple|nota|ejemplo|aviso)\b"
    r"|(?:注意?|警告|重要|提示|例|示例|参照|参见|备注|ヒント|ティップ|참고|주의|경고|예|중요).{0,2}\Z",
    re.IGNORECASE,
)
_LEAST_WORDS = 4


def is_glossary(path: Sequence[str]) -> bool:
    """Whether a section, by the titles that lead to it, explains terms."""
    return any(_GLOSSARY.fullmatch(title.strip()) for title in path)


def entry_definition(paragraph: str, language: str | None, in_glossary: bool) -> str | None:
    """The term that a paragraph explains by its layout; None where it is no entry.

    ``Term`` in bold with a colon or dash after it, or over a line that begins with a colon, is one
    anywhere; in a glossary also ``Term: ...``, ``Term - ...``, ``Term. ...`` and a term on a line above.
    """
    forms = [_BOLD, _LISTED]
    if in_glossary:
        forms += [_RUN_IN, _ENTITLED, _BELOW]
    for form in forms:
        match = form.fullmatch(paragraph)
        if match is None:
            continue
        term = plain(match["term"]).strip("*_ ")
        enough = words_said(match["text"], language) >= _LEAST_WORDS
        if enough and is_term(term, language) and not _LABELS.match(term):
            return term
    return None


def listed_definitions(paragraphs: Sequence[str], language: str | None) -> Iterator[int]:
    """The indices of paragraphs that are a definition list: a term, what it means on the line below it,
    and another such one beside it."""
    alike = [_is_listed(paragraph, language) for paragraph in paragraphs]
    for index, listed in enumerate(alike):
        if listed and (alike[index - 1 : index] == [True] or alike[index + 1 : index + 2] == [True]):
            yield index


def _is_listed(paragraph: str, language: str | None) -> bool:
    match = _BELOW.fullmatch(paragraph)
    if match is None or match["term"].rstrip()[-1] in ".!?:;,。":
        return False
    return entry_definition(paragraph, language, True) is not None

"""Terms that a chunk defines: acronyms with their expansions, glossary entries, words in bold, table keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..names import Found
from ..names_lists import GENERIC, GENERIC_DENSE, is_generic, openers, word_set
from ..names_unspaced import last_segment
from .patterns_kinds import kind_of_part

_LETTERS = r"A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ԯ"
_BRACKET = re.compile(r"[(（]([^()（）\n]{2,80})[)）]")
_ACRONYM = re.compile(r"(?:[A-Z][A-Za-z\d&./-]{0,9}[A-Z\d]|[A-Z]{2,10})s?\Z")
_WORD = re.compile(rf"[{_LETTERS}\d][{_LETTERS}\d'’]*")
_BEFORE = re.compile(r"(?:[^()\n.;:!?\"“”|]|\.(?=\w)){3,120}\Z")
_SHORT_BEFORE = re.compile(r"(?<![\w.-])([A-Z][A-Za-z\d&./-]{0,9}[A-Z\d])s? ?\Z")
_DENSE_BEFORE = re.compile(r"[\u3005\u3400-\u9fff\u30a1-\u30fc\uac00-\ud7a3]{2,16} ?\Z")

_KANA = re.compile(r"[\u3041-\u3096]")
_BOLD = re.compile(r"(?:\*\*|__)(?=[^\s*_])([^*_\n]{2,60}?)(?:\*\*|__)")
_ENTRY = re.compile(
    r"^[ \t]*(?P<mark>[-*+•][ \t]+)?(?:\*\*|__|`)?(?P<term>[^\s:*`|][^:\n*`|]{0,50}?)(?:\*\*|__|`)?[ \t]*"
    r"(?::[ \t]|[ \t][–—][ \t]|：[ \t]?)[ \t]*(?P<meaning>\S[^\n]{14,400})",
    re.MULTILINE,
)
_MEANS = re.compile(r"(?:an?|the|ein|eine|der|die|das|une?|le|la|les|el|los|las)\s", re.IGNORECASE)
_CODE_SPAN = re.compile(r"`([A-Za-z]\w*(?:-\w+)+)`")
_MOST_TERM_WORDS = 4
_LONGEST_MEANING = 160
_SEE_ALSO = re.compile(
    r"(?<![A-Za-z])(?:see also|siehe auch|voir aussi|v[ée]ase también):?\s*", re.IGNORECASE
)
_SEE_PAGE = re.compile(r"\[([A-Za-z_][\w.]{1,40})\], page \d")
_LISTED = re.compile(r"[A-Za-z._][\w.:*-]{1,40}(?:\(\))?\Z")
_MOST_SEEN = 400
_CELL = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[|\s:-]+\Z")
_LONGEST_KEY = 60
_NUMERIC = re.compile(r"[\d\s.,:;%+*/()=<>~±°-]*\Z")
_IDENTIFIER = re.compile(r"[_\d]|[a-z][A-Z]|[A-Z]{2}|--|\w\(|\w[.:]\w|/")


class Term(NamedTuple):
    """A term, other names that the text gives it, and what it says that the term is."""

    name: str
    aliases: tuple[str, ...] = ()
    meaning: str = ""
    type: str = ""


def find_acronyms(text: str) -> Iterator[Term]:
    """Acronyms and their expansions, in either order: "random access memory (RAM)", "RAM (random access
    memory)"; after Schwartz and Hearst (2003): every letter of the acronym, from its end, begins a word of
    the expansion or stands in the one before, the first one begins it. In CJK text, a term in its own
    script before a Latin acronym."""
    for match in _BRACKET.finditer(text):
        inner = match[1].split(",")[0].split("，")[0].strip(" \"'“”")
        before = text[max(0, match.start() - 120) : match.start()].rstrip()
        if _ACRONYM.match(inner):
            short = inner[:-1] if inner[-1] == "s" and inner[:-1].isupper() else inner
            dense = _DENSE_BEFORE.search(before)
            if dense is not None:
                written = dense[0].strip()
                long: str | None = written if _KANA.search(before) else last_segment(written)
            else:
                spaced = _BEFORE.search(before)
                long = _expansion(short, spaced[0]) if spaced else None
            if long:
                yield Term(long, (short,))
        else:
            shorter = _SHORT_BEFORE.search(before)
            if shorter and " " in inner and _expansion(shorter[1], inner) == inner:
                yield Term(inner, (shorter[1],))


def _expansion(short: str, text: str) -> str | None:
    """The end of ``text`` that the letters of ``short`` stand for."""
    letters = [c for c in short.casefold() if c.isalnum()]
    words = list(_WORD.finditer(text))[-(len(letters) + 4) :]
    if len(letters) < 2 or not words:
        return None
    at = len(words) - 1
    need = len(letters) - 1
    begins = 0
    start = None
    while at >= 0:
        word = words[at][0].casefold()
        if need >= 0 and word[0] == letters[need]:
            begins += 1
            need -= 1
        else:
            inside = 0
            while need - inside >= 0 and inside < 3 and letters[need - inside] in word[1:]:
                inside += 1
                if need - inside >= 0 and word[0] == letters[need - inside]:
                    need -= inside + 1
                    begins += 1
                    inside = -1
                    break
            if inside >= 0 and word not in _SMALL:
                return None
        if need < 0:
            start = words[at].start()
            break
        at -= 1
    if start is None or begins < 2 or at >= len(words) - 1:
        return None
    return " ".join(text[start : words[-1].end()].split())


_SMALL = word_set("of the and for in on to a an de la du des et der die und von für & y")


def find_terms(text: str) -> Iterator[Term]:
    """Glossary entries ("term: what it means", one a line) and terms in bold."""
    for match in _ENTRY.finditer(text):
        term = match["term"].strip(" \"'“”")
        told = match["mark"] or _MEANS.match(match["meaning"]) or _IDENTIFIER.search(term)
        if told and "  " not in term and _is_term(term) and not _NUMERIC.match(match["meaning"]):
            yield Term(term, (), match["meaning"].strip()[:_LONGEST_MEANING])
    for match in _BOLD.finditer(text):
        if _is_term(match[1].strip(" :.")):
            yield Term(match[1].strip(" :."))


def code_spans(text: str) -> Iterator[Found]:
    """Hyphenated words set as code, such as the name of a command: "`trim-inlet`" is no plain word."""
    for match in _CODE_SPAN.finditer(text):
        yield Found(match[1], match.start(1), match.end(1), "identifier")


def see_also(text: str) -> Iterator[tuple[str, int]]:
    """The names that a text refers its reader to, and where: the items of "See also: read.table, scan", and
    those with their page, "[scan], page 7"."""
    for match in _SEE_PAGE.finditer(text):
        yield match[1], match.start()
    for match in _SEE_ALSO.finditer(text):
        rest = text[match.end() : match.end() + _MOST_SEEN]
        at = match.end()
        for item in re.split(r"(\n[ \t]*\n|[,;]\s*)", rest.rstrip(". \n")):
            bare = item.strip(" `\"'‘’“”[]\n")
            if item.startswith("\n") and not item.strip():
                break
            if _LISTED.match(bare) and bare.casefold() not in openers("en") and bare != "page":
                yield bare.rstrip("."), at
            elif " " in bare and not bare.startswith("page"):
                break  # prose, not a list
            at += len(item)


def _is_term(term: str) -> bool:
    """Whether what stands before a colon or in bold can be a term: no layout, no number, no prose."""
    words = term.casefold().split()
    if not 0 < len(words) <= _MOST_TERM_WORDS or is_generic(term) or term.casefold() in GENERIC_DENSE:
        return False
    if len(term) < 2 or (term.isascii() and len(term) < 3 and not term.isupper()):
        return False
    numbered = words[0] in GENERIC and any(map(str.isdigit, term))  # Example 2
    if numbered or _NUMERIC.match(term) or any(sign in term for sign in '=;{}<>"“”?!…%&@,。，、'):
        return False
    return not any(word in openers("en") for word in (words[0], words[-1]))


def table_keys(text: str) -> Iterator[Term]:
    """The first cells of a Markdown table's rows that look like names; the type is the heading of their
    column."""
    header: list[str] = []
    for line in text.splitlines():
        if not line.lstrip().startswith("|") or _RULE.match(line):
            continue
        cells = [cell.strip(" *`:\t") for cell in _CELL.split(line.strip().strip("|"))]
        if not header:
            header = cells
            continue
        key = cells[0]
        if not key or len(key) > _LONGEST_KEY or _NUMERIC.match(key) or len(key.split()) > _MOST_TERM_WORDS:
            continue
        folded = key.casefold()
        if is_generic(key) or folded in openers("en") or folded in GENERIC_DENSE or len(key) < 2:
            continue
        plain = not _IDENTIFIER.search(header[0]) and header[0] != key
        type = (
            header[0].casefold() if plain and 0 < len(header[0]) <= 24 and len(header[0].split()) <= 2 else ""
        )
        yield Term(key, (), "", type if any(map(str.isalpha, type)) else "")


_TYPES = word_set(
    """register bit flag instruction option function command package variable parameter file directory
    library class signal pin field keyword macro module method operator property device driver protocol
    format language terminal algorithm model port interrupt exception address mode"""
)
_NEXT = re.compile(r"[\"'”’`)]{0,2} ([a-z]{3,12})s?\b")
_LAST = re.compile(r"\b([a-z]{3,12}) [\"'“‘`]?\Z")


def type_of(text: str, found: Found) -> str:
    """The word for what kind of thing a technical name is, if one stands beside it: "the MXCSR register",
    "function sample()"."""
    after = _NEXT.match(text, found.end, found.end + 20)
    if after and after[1].rstrip("s") in _TYPES:
        return after[1].rstrip("s")
    before = _LAST.search(text, max(0, found.start - 18), found.start)
    if before and before[1] in _TYPES and found.kind == "identifier":
        return before[1]
    return kind_of_part(text, found)

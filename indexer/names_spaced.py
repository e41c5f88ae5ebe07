"""Names in scripts that set their words apart: capitalised spans, acronyms and identifiers."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence

from .names_lists import BODIES, CONNECTORS, GENERIC, TITLES, is_generic, openers, word_set
from .names_tokens import Found, NameKind, Token, is_noise
from .word_forms import primary

_STARTS = re.compile(
    r"(?:^|[.!?…:•|*·▪◦‣。！？：]|\n[ \t]*\n|\n[ \t]*(?:[-–+#>]|\(?\w{1,3}[.)])|[.!?]['\"”»)\]])"
    r"[\s\"'“”„«»‘’(\[>#*_-]*\Z"
)
_TOLD = re.compile(
    r"['’]s |, (?:who|whose|born|founded|formerly|also|a|an|the) "
    r"| (?:was (?:born|an?|the|founded|elected|named)|became|joined|founded|won|died|had|wrote"
    r"|moved|served|played|began|lived|married|released|directed)\b"
)
_LOOK_BACK = 24
_CAPITAL = frozenset({"cap", "acronym", "roman", "initial", "compound"})
_STRONG = frozenset({"acronym", "compound"})
_TELLING = _STRONG | {"cap"}
_HEADS = frozenset({"cap", "acronym", "initial", "compound"})
_NOUNS_IN_CAPITALS = frozenset({"de", "lb"})
_LONGEST = 9
"""Tokens of the longest span."""
_SHOUT = 3
"""So many words in capitals in a row, one of them a plain one, are shouted."""
_LONG_NOUN = 14
"""From so many letters on a German noun is a compound that is worth a name."""
_ADDRESSED = word_set("Sie Ihr Ihre Ihren Ihrem Ihrer Ihres Ihnen")
"""German pronouns that are capitalised wherever they stand."""
_GERMAN_CONNECTORS = word_set("von van de zu")
_INFLECTED = re.compile(r"[a-zäöüß]{2}(?:e|em)\Z")
_PLAIN_ENDING = re.compile(r"(?:ung|ungen|heit|heiten|keit|keiten|ionen|schaft|schaften|lich|weise|nisse?)\Z")


def find_spaced(
    text: str, tokens: Sequence[Token], language: str | None, known: Container[str], any_case: bool = False
) -> Iterator[Found]:
    """The names of a text, in order, from its tokens.

    A capitalised word that opens a sentence is a name where more of the name follows, where the text has
    it inside a sentence too, or where ``known`` (case-folded) holds it. German nouns are names in spans of
    two or more, joined to an acronym, or as compounds of 14 letters and more. ``any_case`` takes a word at
    the start of a sentence for a name whatever stands elsewhere: for questions.
    """
    reader = _Reader(text, tokens, language, known, any_case)
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.shape in _HEADS:
            end = reader.span_end(at)
            yield from reader.names(at, end)
            at = end
        else:
            if token.shape == "identifier":
                yield Found(token.text, token.start, token.end, "identifier")
            elif token.shape == "word" and "-" in token.text and not token.text.islower():
                yield from _parts(token)
            at += 1


def _parts(token: Token) -> Iterator[Found]:
    """The acronyms of a compound that is no name itself: TCP of "TCP-based"."""
    at = token.start
    for part in token.text.split("-"):
        if len(part) > 1 and part.isalpha() and part.isupper() and not is_noise(part):
            yield Found(part, at, at + len(part), "acronym")
        at += len(part) + 1


class _Reader:
    """Reads the spans of one text."""

    def __init__(
        self, text: str, tokens: Sequence[Token], language: str | None, known: Container[str], any_case: bool
    ) -> None:
        self._text = text
        self._tokens = tokens
        self._known = known
        self._any_case = any_case
        self._openers = openers(language)
        self._nouns = language is not None and primary(language) in _NOUNS_IN_CAPITALS
        self._inside: frozenset[str] | None = None

    def span_end(self, at: int) -> int:
        """The index after the last token of the span that begins at token ``at``."""
        tokens, last = self._tokens, at
        for at in range(last + 1, len(tokens)):
            token, gap = tokens[at], self._gap(at - 1, at)
            if gap is None or at - last > 3:
                break
            if token.shape in _CAPITAL and not (self._nouns and token.text in _ADDRESSED):
                last = at
            elif token.shape == "number" and at == last + 1 and gap == " " and self._numbered(last, at):
                return at + 1
            elif token.shape != "word" or gap != " " or not self._connects(last, at):
                break
        return last + 1

    def names(self, first: int, end: int) -> Iterator[Found]:
        """The names of the span: all of it, without the words that only open the sentence."""
        opens = self._opens(first)
        while first < end and self._drops(first, end, opens):
            first += 1
            opens = False
        while end > first and self._trails(self._tokens[end - 1]):
            end -= 1
        span = self._tokens[first:end]
        if not span or self._shouted(span):
            return
        if len(span) == 1:
            yield from self._single(span[0], opens)
        elif len(span) > _LONGEST:  # a line of words in capitals
            yield from (
                name for token in span if token.shape in _STRONG for name in self._single(token, False)
            )
        elif any(token.shape in _TELLING for token in span) and not is_generic(
            self._text[span[0].start : span[-1].end]
        ):
            yield self._found(span[0].start, span[-1].end, "name")

    def _single(self, token: Token, opens: bool) -> Iterator[Found]:
        folded = token.text.casefold()
        if token.shape == "initial" or is_noise(token.text):
            return
        if token.shape == "acronym":
            plural = token.text[-1] == "s" and not token.text.isupper()
            yield self._found(token.start, token.end - plural, "acronym")
        elif token.shape == "compound":
            yield self._found(token.start, token.end, "identifier")
        elif folded in self._openers or folded in GENERIC or len(token.text) < 2:
            return
        elif folded in self._known or self._is_name(token, opens):
            yield self._found(token.start, token.end, "name")

    def _is_name(self, token: Token, opens: bool) -> bool:
        """Whether a capitalised word that stands alone is a name."""
        if self._nouns:
            return self._compound_noun(token.text)
        if not opens or self._any_case:
            return True
        return token.text.casefold() in self._seen_inside() or self._told_of(token)

    def _told_of(self, token: Token) -> bool:
        """Whether what follows a word at the start of a sentence is mostly said of names."""
        return _TOLD.match(self._text, token.end, token.end + 24) is not None

    def _found(self, start: int, end: int, kind: NameKind) -> Found:
        return Found(" ".join(self._text[start:end].split()), start, end, kind)

    def _gap(self, before: int, after: int) -> str | None:
        """What joins two tokens of a span: a space, "/" or "&", or None where nothing does."""
        text = self._text[self._tokens[before].end : self._tokens[after].start]
        if text == " ":
            return " "
        if not text or len(text) > 12:
            return None
        bare = text.strip(" \t")
        if bare == "\n":
            return " " if self._wrapped(before) else None
        first = self._tokens[before]
        opening = self._tokens[after].text
        if (
            text in (". ", ".")
            and opening.casefold() not in self._openers
            and (first.shape == "initial" or first.text.casefold() in TITLES)
        ):
            return " "
        if text == " & " or (text == "/" and self._slashed(first, self._tokens[after])):
            return text
        return None

    @staticmethod
    def _slashed(first: Token, second: Token) -> bool:
        """GNU/Linux, TCP/IP and I/O are one; CPU/GPU are two."""
        if "cap" in (first.shape, second.shape):
            return {first.shape, second.shape} <= {"cap", "acronym"} and first.shape == "acronym"
        return first.shape == second.shape == "initial" or (first.text, second.text) == ("TCP", "IP")

    def _wrapped(self, before: int) -> bool:
        """Whether the line that ends after a token goes on in the next one, rather than being a title."""
        end = self._tokens[before].end
        line = self._text[self._text.rfind("\n", 0, end) + 1 : end]
        return len(line) > 50

    def _numbered(self, last: int, at: int) -> bool:
        """Windows 7 and RFC 2616 are names; "in May 1990" and "Table 5" are not."""
        head, number = self._tokens[last], self._tokens[at].text
        if not number.isdigit() or head.text.casefold() in GENERIC or is_noise(head.text):
            return False
        following = self._text[self._tokens[at].end : self._tokens[at].end + 2]
        if (following and following[0] in "%°") or (following[:1] in ",." and following[1:].isdigit()):
            return False
        if len(number) > 3:
            return head.shape == "acronym" and len(number) <= 5
        return head.shape in ("cap", "acronym", "compound")

    def _connects(self, last: int, at: int) -> bool:
        word = self._tokens[at].text
        if self._nouns:
            before = self._tokens[last - 1].text.casefold() if last else ""
            told = before in self._openers or _PLAIN_ENDING.search(self._tokens[last].text)
            return word in _GERMAN_CONNECTORS and at == last + 1 and not told
        if word not in CONNECTORS:
            return word in ("for", "and", "on") and any(
                token.text.casefold() in BODIES for token in self._tokens[max(0, last - 3) : last + 1]
            )
        return self._tokens[last].shape != "initial"

    def _drops(self, first: int, end: int, opens: bool) -> bool:
        """Whether the first word of a span only opens the sentence, or belongs to the layout."""
        token = self._tokens[first]
        if token.shape in ("word", "roman") or self._layout(first, end):
            return True
        if token.text == "A" and self._text[token.end : token.end + 1] == " " and end - first > 1:
            return True
        if self._nouns and (
            token.text in _ADDRESSED
            or (
                opens
                and token.shape == "cap"
                and token.text.casefold() not in self._known
                and _INFLECTED.search(token.text)
            )
        ):
            return True
        return opens and token.text.casefold() in self._openers and token.text not in ("US", "UK", "WHO")

    def _opens(self, at: int) -> bool:
        start = self._tokens[at].start
        return start == 0 or _STARTS.search(self._text, max(0, start - _LOOK_BACK), start) is not None

    def _layout(self, first: int, end: int) -> bool:
        """Whether a span begins with the word for a part of a document: Table 5, Section IV."""
        token = self._tokens[first]
        return token.text.casefold() in GENERIC and (
            end - first == 1 or self._tokens[first + 1].shape in ("number", "roman", "initial")
        )

    @staticmethod
    def _trails(token: Token) -> bool:
        return token.shape == "word" or is_noise(token.text)

    def _shouted(self, span: Sequence[Token]) -> bool:
        words = [token.text for token in span]
        if len(words) < _SHOUT or not all(map(str.isupper, words)):
            return False
        return any(word.casefold() in self._openers or is_noise(word) for word in words)

    def _compound_noun(self, word: str) -> bool:
        return len(word) >= _LONG_NOUN and not _PLAIN_ENDING.search(word)

    def _seen_inside(self) -> frozenset[str]:
        """The capitalised words that the text has inside a sentence, case-folded."""
        if self._inside is None:
            self._inside = frozenset(
                token.text.casefold()
                for at, token in enumerate(self._tokens)
                if token.shape == "cap" and not self._opens(at)
            )
        return self._inside

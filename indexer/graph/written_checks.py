"""A model's entities and relations, held one by one against the chunk that they are said to come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..checked_calls import Faults, Wrong
from ..checks.plain_words import plain_words
from ..names_form import form
from ..tree.reply import Expected, check_summary
from ..word_forms import primary
from . import written_items as reasons
from .extraction import Named, Stated
from .patterns_conditions import condition_spans, condition_text
from .patterns_places import find_places
from .written_grounds import Grounds, Span, is_quotation
from .written_items import Items, Rejected, note, plain_type, read_items, spaced
from .written_reply import Item, Reply

CHECKS = "checks-1"
"""Goes up with what is checked here, so that no verdict of other checks is kept."""

LONGEST_NAME = 120
_LONGEST_DESCRIPTION = 240
_TOLD = 5
"""Faults that the one retry names."""


class ItemChecks:
    """The checks for one stretch of a chunk. ``headings`` are the titles over it, ``structure`` what names
    they and the places in it gave; ``types`` the only ones that an entity may have, none for any. No
    description may hold one of the ``marks`` of the prompt."""

    def __init__(
        self,
        text: str,
        headings: Iterable[str],
        structure: Sequence[Named],
        types: Sequence[str],
        language: str | None,
        marks: Sequence[str],
    ) -> None:
        language = primary(language) if language else None
        over = "\n".join(headings)
        self._grounds = Grounds(text, language)
        self._headings = Grounds(over, language)
        self._language = language
        self._structure = structure
        self._types = {spaced(name).casefold(): name for name in types}
        self._plain = plain_words(language)
        self._expected = Expected([text, over], language, language, marks)

    def check(self, reply: Reply, faults: Faults) -> Items | Wrong:
        """What is usable of a reply; the faults of the rest are counted by reason. An answer that has
        entities of which none is usable is wrong."""
        told: list[str] = []
        named = self._names(reply.entities, faults, told)
        statements = self._statements(reply.relations, named, faults, told)
        if reply.entities and not named and not statements:
            return Wrong(reasons.NOTHING_USABLE, "; ".join(told[:_TOLD]))
        return Items(tuple(dict.fromkeys(named.values())), statements, reply.whole)

    def _names(self, entities: Sequence[object], faults: Faults, told: list[str]) -> dict[str, Named]:
        """The usable names, by the forms under which relations may refer to them."""
        named: dict[str, Named] = {}
        for item in read_items(entities, faults):
            try:
                made = self._name(item, faults)
            except Rejected as rejected:
                note(rejected, faults, told)
                continue
            made = named.setdefault(form(made.name), made)
            named.setdefault(form(str(item["name"])), made)
        return named

    def _name(self, item: Item, faults: Faults) -> Named:
        name = item.get("name")
        if name is None or name == "":
            raise Rejected(reasons.NO_NAME)
        if not isinstance(name, str):
            raise Rejected(reasons.NOT_TEXT, name)
        if len(name) > LONGEST_NAME:
            raise Rejected(reasons.LONG_NAME, name)
        if self._says_nothing(name):
            raise Rejected(reasons.PLAIN_NAME, name)
        if any(place.written == " ".join(name.split()) for place in find_places(name)):
            raise Rejected(reasons.PLACE, name)  # the structure knows it as one of its own document's
        spans = self._grounds.name(name)
        above = [] if spans else self._headings.name(name)
        if not spans and not above:
            raise Rejected(reasons.ELSEWHERE, name)
        kind = self._type(item.get("type"), faults)
        written = self._grounds.written(spans[0]) if spans else self._headings.written(above[0])
        as_given = " ".join(name.split())
        literal = any(self._grounds.written(span) == as_given for span in spans)
        return Named(
            as_given if literal else written,
            kind,
            "mention" if spans else "subject",
            max(1, len(spans)),
            description=self._description(item, faults, name),
        )

    def _says_nothing(self, name: str) -> bool:
        """Whether a name holds no letter, or plain words alone."""
        if not form(name) or not any(map(str.isalpha, name)):
            return True
        words = name.split()
        if len(words) == 1 and name.isupper():
            return False
        return all(word.casefold() in self._plain for word in words)

    def _type(self, value: object, faults: Faults) -> str:
        if self._types:
            known = self._types.get(spaced(value).casefold()) if isinstance(value, str) else None
            if known is None:
                raise Rejected(reasons.OTHER_TYPE, value)
            return known
        if value is None or value == "":
            return ""
        kind = plain_type(value)
        if not kind:
            faults[reasons.BAD_TYPE] += 1
        return kind

    def _description(self, item: Item, faults: Faults, *names: str) -> str:
        """What an item says of itself where that is fit to be shown; a bad one does not cost the item."""
        value = item.get("description")
        if value is None or value == "":
            return ""
        if not isinstance(value, str):
            faults[reasons.DESCRIPTION.format("not text")] += 1
            return ""
        text = " ".join(value.encode("utf-8", "ignore").decode("utf-8").split())
        if len(text) > _LONGEST_DESCRIPTION:
            faults[reasons.DESCRIPTION.format("too long")] += 1
            return ""
        if form(text) in ("", *map(form, names)):
            return ""
        if wrong := check_summary(text, self._expected):
            faults[reasons.DESCRIPTION.format(wrong.reason)] += 1
            return ""
        return text

    def _statements(
        self, relations: Sequence[object], named: dict[str, Named], faults: Faults, told: list[str]
    ) -> tuple[Stated, ...]:
        ends = {form(alias): one for one in self._structure for alias in (*one.aliases, one.name)} | named
        made: dict[tuple[str, str, str, str], Stated] = {}
        for item in read_items(relations, faults):
            try:
                said = self._statement(item, ends, faults)
            except Rejected as rejected:
                note(rejected, faults, told)
                continue
            made.setdefault((said.source, said.target, said.type, said.sentence), said)
        return tuple(made.values())

    def _statement(self, item: Item, ends: dict[str, Named], faults: Faults) -> Stated:
        source, target = (_end(item.get(side), ends) for side in ("source", "target"))
        if form(source.name) == form(target.name):
            raise Rejected(reasons.SELF_LOOP, source.name)
        kind = plain_type(item.get("type"))
        if not kind:
            raise Rejected(reasons.BAD_VERB, item.get("type"))
        first, last = self._evidence(item.get("evidence"), (source, target))
        return Stated(
            source.name,
            target.name,
            kind,
            self._grounds.text[first:last],
            self._condition(item.get("condition"), (first, last), faults),
            self._description(item, faults, source.name, target.name),
        )

    def _evidence(self, value: object, ends: Sequence[Named]) -> Span:
        """The sentence of the text that is quoted."""
        if not isinstance(value, str) or not is_quotation(value):
            raise Rejected(reasons.NO_EVIDENCE, value)
        quoted = self._grounds.quotation(value)
        if not quoted:
            raise Rejected(reasons.NO_EVIDENCE, value)
        found = [sentence for span in quoted if (sentence := self._grounds.sentence(span))]
        if not found:
            raise Rejected(reasons.ENDLESS, value)
        names = [name for one in ends for name in (one.name, *one.aliases)]
        places = [span for name in names for span in self._grounds.name(name)]
        for first, last in found:
            if any(first <= start and end <= last for start, end in places):
                return first, last
        raise Rejected(reasons.NEITHER_END, value)

    def _condition(self, value: object, sentence: Span, faults: Faults) -> str:
        """The part of the sentence that is quoted as its condition; where none is, what reads as one."""
        text = self._grounds.text
        if isinstance(value, str) and (found := self._grounds.quotation(value, sentence)):
            return self._grounds.written(found[0])
        evidence = text[sentence[0] : sentence[1]]
        read = condition_text(evidence, condition_spans(evidence, self._language))
        if value is not None and value not in ("", read):
            faults[reasons.NO_CONDITION] += 1
        return read


def _end(value: object, ends: dict[str, Named]) -> Named:
    found = ends.get(form(value)) if isinstance(value, str) and len(value) <= LONGEST_NAME else None
    if found is None:
        raise Rejected(reasons.NOT_NAMED, value)
    return found

"""A manual whose links are known: sections about invented components, and questions of two hops over them.

Each component has a section with a few facts and with links to three others; some links are stated in a
procedure instead. Names have near twins (KX-12 and KX-13), some have a short form that is given once, and
another document uses some of them for other things. Decoys talk like the questions, and of other components.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import linked_manual_words as words
from linked_manual_ways import BODILY, FACTS, LINKS, LOGICAL
from treegraph.query.phrases import question_forms

OUT = 3
"""Links that lead away from a component."""
FACTS_EACH = 3
_ELSEWHERE = 0.25
"""The share of links that a procedure states."""
_TOGETHER = 3
"""Links that one procedure states."""
_PLAIN = frozenset(
    question_forms(
        "a an the this that these it its is are was be been being has have had do does did can could may "
        "might must of on in at to from by with without for into and or not no what which who whatever where "
        "when how much often one component assembly",
        "en",
    )
)
"""Function words, and the words that mean any component."""

Place = tuple[str, str]
"""The name of a document's file and the title of a section."""


@dataclass(eq=False)
class Component:
    """A thing with a section of its own. ``called`` is how a sentence calls it, the short form last if it has
    one; ``defined`` is what is written once, where that short form is given."""

    name: str
    file: str
    called: Sequence[str]
    defined: str = ""
    unique: bool = True
    bodily: bool = True
    lines: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)

    @property
    def place(self) -> Place:
        return self.file, self.name


@dataclass(frozen=True, slots=True)
class TwoHops:
    """A question; the section that states the link from what it names (``first``), and that of what this link
    leads to (``second``), which says what is asked in other words."""

    text: str
    link: str
    fact: str
    first: Place
    second: Place


@dataclass(frozen=True)
class LinkedManual:
    """The Markdown of each file, the questions, and the sections about other things of the same names."""

    files: dict[str, str]
    questions: list[TwoHops]
    homonyms: list[Place]

    def write(self, folder: Path) -> None:
        """Write the files into ``folder``."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="utf-8")


def content(text: str) -> set[str]:
    """The stems of a text without function words and the words for any component."""
    return set(question_forms(text, "en")) - _PLAIN


def linked_manual(seed: int, count: int) -> LinkedManual:
    """The manual of this seed with ``count`` questions; the same for the same arguments."""
    return _Writer(random.Random(seed)).manual(count)


class _Writer:
    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._procedures: dict[Place, list[str]] = {}
        self._links: list[tuple[str, Component, Component, Place]] = []

    def manual(self, count: int) -> LinkedManual:
        documents = [self._components(title) for title in words.DOCUMENTS]
        others = self._homonyms([one for document in documents for one in document])
        for document in [*documents, others]:
            for one in document:
                one.facts = self._chance.sample(BODILY if one.bodily else LOGICAL, FACTS_EACH)
            self._link(document, [one for row in documents for one in row if row is not document])
        files: dict[str, str] = {}
        for title, document in zip(
            (*words.DOCUMENTS, words.OTHER_DOCUMENT), [*documents, others], strict=True
        ):
            files |= self._written(title, document)
        return LinkedManual(files, self._questions(files, count), [one.place for one in others])

    def _components(self, title: str) -> list[Component]:
        """Six twins of each kind: units with a short form, parts, commands, and registers."""
        file, chance = _file(title), self._chance
        at = words.DOCUMENTS.index(title)
        made: list[Component] = []
        firsts = words.FIRST[at * 6 : at * 6 + 6]
        for first, second in zip(firsts, chance.sample(words.SECOND, 6), strict=True):
            third = chance.choice(words.THIRD)
            name, short = f"{first} {second} {third}", first[0] + second[0] + third[0]
            made.append(Component(name, file, (f"the {name}", f"the {short}"), f"the {name} ({short})"))
        code, start = words.CODES[at], chance.randint(10, 80)
        for number, noun in zip(range(start, start + 6), chance.choices(words.NOUNS, k=6), strict=True):
            name = f"{code}-{number}"
            made.append(Component(name, file, (f"the {name} {noun}", f"the {name}")))
        for thing in words.OBJECTS:
            name = f"{words.VERBS[at]}-{thing}"
            made.append(Component(name, file, (f"the command `{name}`", f"`{name}`"), bodily=False))
        for number, bit in zip(range(1, 7), chance.choices(words.BITS, k=6), strict=True):
            name = f"{words.REGISTERS[at]}{number}.{bit}"
            made.append(Component(name, file, (f"the register bit {name}", name), bodily=False))
        return made

    def _homonyms(self, known: Sequence[Component]) -> list[Component]:
        """Other things that have the short form of one of ``known``, or its code."""
        file, made = _file(words.OTHER_DOCUMENT), list[Component]()
        for one in self._chance.sample([one for one in known if one.defined], 8):
            short = one.called[-1].removeprefix("the ")
            if any(short in other.defined for other in made):
                continue
            name = " ".join(words.OFFICE[letter] for letter in short)
            made.append(
                Component(name, file, (f"the {name}", f"the {short}"), f"the {name} ({short})", False)
            )
            one.unique = False
        for one in self._chance.sample([one for one in known if re.match(r"[A-Z]{2}-", one.name)], 6):
            made.append(Component(one.name, file, (f"the room {one.name}", f"the {one.name}"), unique=False))
            one.unique = False
        return made

    def _link(self, document: Sequence[Component], elsewhere: Sequence[Component]) -> None:
        """Link every component to ``OUT`` others, each as often linked to; each link of another kind."""
        chance = self._chance
        kinds = {one: chance.sample(sorted(LINKS), OUT) for one in document}
        joined: set[frozenset[Component]] = set()
        for turn in range(OUT):
            order = chance.sample(list(document), len(document))
            for source, target in pairwise([*order, order[0]]):
                other = target if chance.random() < 0.85 else chance.choice(list(elsewhere))
                if frozenset((source, other)) not in joined:
                    joined.add(frozenset((source, other)))
                    self._state(kinds[source][turn], source, other)

    def _state(self, kind: str, source: Component, target: Component) -> None:
        """Say the link, in the section of ``source`` or in a procedure of its document."""
        chance = self._chance
        near = source.file == target.file
        at = chance.random() if near else 1.0
        there = target.called[-1] if at < 0.7 else target.called[0]
        frame = chance.choice(LINKS[kind].said)
        if chance.random() < _ELSEWHERE:
            place = self._procedure(source.file)
            self._procedures[place].append(_sentence(frame, x=source.called[0], y=there))
        else:
            place = source.place
            here = (
                "it" if frame.startswith("{x} ") and chance.random() < 0.4 else chance.choice(source.called)
            )
            source.lines.append(_sentence(frame, x=here, y=there))
        self._links.append((kind, source, target, place))

    def _procedure(self, file: str) -> Place:
        """A procedure of the file that has room for a sentence."""
        mine = [place for place in self._procedures if place[0] == file]
        if not mine or len(self._procedures[mine[-1]]) >= _TOGETHER:
            mine.append((file, f"Procedure {len(mine) + 1}"))
            self._procedures[mine[-1]] = []
        return mine[-1]

    def _written(self, title: str, document: Sequence[Component]) -> dict[str, str]:
        """The Markdown of one document."""
        file = _file(title)
        sections = [(one.name, self._section(one)) for one in document]
        self._define(document, sections)
        for (where, name), lines in self._procedures.items():
            if where == file:
                sections.append((name, " ".join(["Keep to this order.", *lines, self._filling()])))
        for name, text in words.DECOYS:
            a, b = self._chance.sample(list(document), 2)
            sections.append((f"{name}, general", _sentence(text, a=a.called[-1], b=b.called[0])))
        if title == words.DOCUMENTS[0]:
            sections.append(
                (words.HUB, f"The {words.HUB} carries most of what is in these handbooks. {self._filling()}")
            )
        self._chance.shuffle(sections)
        body = "\n\n".join(f"## {name}\n\n{text}" for name, text in sections)
        return {file: f"# {title}\n\n{body}\n"}

    def _section(self, one: Component) -> str:
        facts = [self._fact(kind, one) for kind in one.facts]
        first, *rest = facts
        rest += [*one.lines, self._filling(one.bodily), self._filling()]
        self._chance.shuffle(rest)
        intro = f"{one.called[0]} is described here."
        return " ".join([_capital(intro), first, *rest])

    def _define(self, document: Sequence[Component], sections: list[tuple[str, str]]) -> None:
        """Give each short form once: in the section of its thing, or in that of another one."""
        for one in document:
            if one.defined:
                own = next(at for at, (name, _) in enumerate(sections) if name == one.name)
                if self._chance.random() < 0.5:
                    name, text = sections[own]
                    sections[own] = (name, text.replace(_capital(one.called[0]), _capital(one.defined), 1))
                else:
                    at = self._chance.choice([at for at in range(len(sections)) if at != own])
                    name, text = sections[at]
                    sections[at] = (name, f"{text} The cable runs past {one.defined}.")

    def _fact(self, kind: str, one: Component) -> str:
        chance = self._chance
        number, colour, maker = (
            chance.randint(12, 480),
            chance.choice(words.COLOURS),
            chance.choice(words.MAKERS),
        )
        frame = chance.choice(FACTS[kind].said)
        return _sentence(frame, y=chance.choice(one.called), n=str(number), c=colour, m=maker)

    def _filling(self, bodily: bool = False) -> str:
        return self._chance.choice((*words.FILLING, *words.BODILY_FILLING) if bodily else words.FILLING)

    def _questions(self, files: dict[str, str], count: int) -> list[TwoHops]:
        """``count`` questions whose second section holds no content word of theirs."""
        texts = sections(files)
        links = [
            link for link in self._links if link[1].unique and link[1].file != _file(words.OTHER_DOCUMENT)
        ]
        found: list[TwoHops] = []
        for kind, source, target, place in self._chance.sample(links, len(links)):
            taken = content(texts[target.place])
            for fact, text in self._asked(kind, source, target):
                if not content(text) & taken:
                    found.append(TwoHops(text, kind, fact, place, target.place))
                    break
        assert len(found) >= count, f"only {len(found)} questions of two hops"
        return found[:count]

    def _asked(self, kind: str, source: Component, target: Component) -> list[tuple[str, str]]:
        """Every fact of ``target`` that can be asked for by way of ``source``, and how, in random order."""
        ways = [
            (fact, asked.format(w=what.format(x=called).replace("`", "")))
            for fact in target.facts
            for asked in FACTS[fact].asked
            for what in LINKS[kind].asked
            for called in source.called
        ]
        return self._chance.sample(ways, len(ways))


def sections(files: dict[str, str]) -> dict[Place, str]:
    """The sections of Markdown files, with their titles."""
    found: dict[Place, str] = {}
    for file, text in files.items():
        for section in text.split("\n## ")[1:]:
            title, _, body = section.partition("\n")
            found[file, title] = f"{title}\n{body}"
    return found


def _file(title: str) -> str:
    return f"{title.lower().replace(' ', '-')}.md"


def _sentence(frame: str, **filled: str) -> str:
    return _capital(frame.format(**filled))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

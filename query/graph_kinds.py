"""Kinds of relations: words that say the same of two things, whether a question asks or a sentence states it.

People ask in words of their own: for what "protects" a pump where the manual writes that a valve "guards" it,
for the "predecessor" of what "took over from" another. Types of relations and words of questions are compared
by their kinds; a kind has a direction, and a word may say it the other way round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

from ..indexer.word_forms import stem
from .graph_words import WORD

Way = Literal["on", "back", "any"]
"""Whether a word says its kind of its subject (``on``), of its object (``back``), or does not tell."""

_KINDS = """
needs: require need depend rely necessitate presuppose ~without ~prerequisite ~requirement ~necessary
sets: set configure adjust program tune initialize write written wrote ~setting ~parameter ~configuration
passes: send sent feed fed supply forward report pass transmit deliver submit <receive <get <got <obtain
passes: <read <load <taken+from <come+from <comes+from
keeps: protect guard shield secure stop halt interrupt disconnect abort prevent block shut disable inhibit
replaces: replace supersede succeed substitute displace take+over took+over taken+over
replaces: >successor <predecessor ~formerly
part: belong part+of built+into integrated+into embedded+in member+of ~inside
part: <contain <include <comprise <consist
starts: start restart trigger activate cause launch invoke call initiate enable wake raise
makes: create generate produce make made build built construct manufacture compose author design develop
makes: invent found establish write wrote written publish release
makes: ~founder ~author ~maker ~creator ~composer ~writer ~producer ~publisher ~manufacturer ~developer
makes: ~inventor ~designer
uses: use employ utilize apply
supports: support implement provide offer allow permit
connects: connect attach link wire plug
defines: define declare specify
converts: convert translate transform map
derives: extend inherit derive
controls: control govern determine drive manage regulate operate
measures: measure monitor sense detect
owns: own acquire buy bought purchase ~owner
located: locate situate lie ~headquarter ~location ~capital
performs: perform play sing sang sung star record portray ~performer ~singer ~actor ~actress ~cast ~artist
directs: direct ~director
leads: lead led head ~leader ~president ~chairman ~chief
marries: ~marry ~married ~marries ~spouse ~husband ~wife
born: ~born ~birthplace ~birth
died: die ~death
kin: ~father ~mother ~son ~daughter ~child ~children ~parent ~sibling ~brother ~sister
studied: educate study attend graduate
wins: win won ~winner
borders: border adjoin
"""


class Said(NamedTuple):
    """That a word says a kind, and which way."""

    kind: str
    way: Way


_MARKS: Mapping[str, Way] = {"<": "back", ">": "on", "~": "any"}
_Entries = Mapping[str, Sequence[tuple[tuple[str, ...], Said]]]


@cache
def _tables() -> tuple[_Entries, _Entries]:
    """By a first word as it stands (nouns), and by its stem (verbs): what follows it, and what it says."""
    nouns: dict[str, list[tuple[tuple[str, ...], Said]]] = {}
    verbs: dict[str, list[tuple[tuple[str, ...], Said]]] = {}
    for line in _KINDS.strip().splitlines():
        kind, _, words = line.partition(": ")
        for word in words.split():
            way = _MARKS.get(word[0], "on")
            first, *rest = word.lstrip("<>~").split("+")
            told = (tuple(rest), Said(kind, way))
            if way == "any":
                nouns.setdefault(first, []).append(told)
                nouns.setdefault(f"{first}s", []).append(told)
            else:
                verbs.setdefault(stem(first, "en"), []).append(told)
    return nouns, verbs


def kinds_said(text: str) -> frozenset[Said]:
    """The kinds that stand in a text, such as the type of a relation or a sentence."""
    return find_kinds(WORD.findall(text.casefold()))


def find_kinds(words: Sequence[str]) -> frozenset[Said]:
    """The kinds that case-folded words say; several of them in a row before one of them alone."""
    nouns, verbs = _tables()
    found: set[Said] = set()
    for at, word in enumerate(words):
        entries = nouns.get(word) or (() if word.endswith("ings") else verbs.get(stem(word, "en"), ()))
        longer = [
            said for rest, said in entries if rest and tuple(words[at + 1 : at + 1 + len(rest)]) == rest
        ]
        found.update(longer or [said for rest, said in entries if not rest])
    return frozenset(found)

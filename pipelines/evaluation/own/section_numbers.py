"""The numbers of a document's sections, and which section each of them is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ....indexer.types import Content, Section

NUMBER = r"(?:\d+(?:\.\d+)*|[A-Z](?:\.\d+)+|[A-Z])"
_WORD = (
    r"chapter|section|appendix|annex|kapitel|abschnitt|anhang|chapitre|annexe|capítulo|apéndice|sección|"
    r"capitolo|hoofdstuk|глава|附录|付録|부록|第|제"
)
_LEADING = re.compile(
    rf"[\s#*]*(?P<word>{_WORD})?\s*(?P<number>{NUMBER})(?=[\s.:)]|[^\x00-\x7f]|\Z)(?P<mark>[.:)])?",
    re.IGNORECASE,
)
_BEFORE = re.compile(rf"(?:{_WORD})\s*(?P<number>{NUMBER})\s*[章节節장]?\s*\Z", re.IGNORECASE)
_SPACES = re.compile(r"\s+")
_FEWEST_LETTERS = 2


class SectionNumbers:
    """Finds entries of the outline by their number: as it stands in the title, before the title in the
    text, or as the beginning of the number of the first entry below."""

    def __init__(self, content: Content) -> None:
        numbers = [_number(section, content.text) for section in content.sections]
        numbers = _with_letters(numbers, content.sections)
        self._found: dict[str, list[int]] = {}
        for index, number in enumerate(_with_parents(numbers, content.sections)):
            if number:
                self._found.setdefault(number, []).append(index)

    def find(self, number: str) -> int | None:
        """The index of the one entry of that number; None where there is none, or several."""
        found = self._found.get(number.upper(), [])
        return found[0] if len(found) == 1 else None


def _number(section: Section, text: str) -> str:
    first_line = text[section.start : section.start + 200].lstrip().partition("\n")[0]
    lines = [section.title]
    if _SPACES.sub("", section.title) in _SPACES.sub("", first_line):
        lines.append(first_line)
    for line in lines:
        match = _LEADING.match(line)
        if match and (not match["number"].isalpha() or match["word"] or match["mark"] == "."):
            return match["number"].upper()
    before = _BEFORE.search(text[max(0, section.start - 40) : section.start])
    return before["number"].upper() if before else ""


def _with_letters(numbers: Sequence[str], sections: Sequence[Section]) -> list[str]:
    """``numbers`` with single letters that lead titles ("B Copying") where they run on from A."""
    known = list(numbers)
    for level in {section.level for section in sections}:
        run: list[tuple[int, str]] = []
        for index, section in enumerate(sections):
            letter, _, rest = section.title.partition(" ")
            if section.level == level and not known[index] and rest and letter == chr(ord("A") + len(run)):
                run.append((index, letter))
        if len(run) >= _FEWEST_LETTERS:
            for index, letter in run:
                known[index] = letter
    return known


def _with_parents(numbers: Sequence[str], sections: Sequence[Section]) -> list[str]:
    known = list(numbers)
    for index in range(len(sections) - 2, -1, -1):
        child = known[index + 1]
        if not known[index] and child and sections[index + 1].level == sections[index].level + 1:
            parent, dot, last = child.rpartition(".")
            known[index] = parent if dot and last in {"0", "1"} else ""
    return known

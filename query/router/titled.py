"""Whether a question calls a section, a chapter or a document of the tree by its name."""

from __future__ import annotations

import re

from ...indexer.names import form
from ..access import Access
from ..tree_map import TreeMap
from .cues import CUES

LONGEST = 12
"""Words of the longest title that is looked for."""
FEWEST = 3
"""Passages of the smallest section that is a whole."""
_WORD = re.compile(r"[^\W_](?:[\w.'’:/-]*\w)?")
_NUMBERED = re.compile(
    r"(?:chapter|section|part|appendix|kapitel|abschnitt|teil|anhang|chapitre|partie|capítulo|sección|capitolo)"
    r"\s+(?P<number>[\dA-Z]+(?:\.\d+)*)\b|第\s*(?P<dense>\d+)\s*[章节節部編]|(?P<hangul>\d+)\s*[장절]",
    re.IGNORECASE,
)


def names_a_section(question: str, tree: TreeMap, access: Access) -> bool:
    """Whether a readable node of some size has a title that stands in the question, or that is what is left
    of it without the words that ask for a whole; or has the number that it names ("chapter 3")."""
    known, readable = tree.titled, tree.readable(access)
    names = [form(name) for name in _runs(question)]
    names += [
        form(found["number"] or found["dense"] or found["hangul"]) for found in _NUMBERED.finditer(question)
    ]
    found = (node for name in names if name for node in known.get(name, ()))
    return any(node in readable and len(tree.beneath(node)) >= FEWEST for node in found)


def _runs(question: str) -> list[str]:
    """The whole question, what is left of it, and its runs of two words or more."""
    left = CUES["whole"].sub(" ", question).strip(" ?？.!:的のって에를")
    words = [match.span() for match in _WORD.finditer(question)]
    runs = [
        question[words[first][0] : words[last][1]]
        for first in range(min(len(words), 3 * LONGEST))
        for last in range(first + 1, min(first + LONGEST, len(words)))
    ]
    return [question, left, *runs]

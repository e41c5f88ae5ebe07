"""The sentences of a chunk that a report takes: those that say most of a community's names."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import pairwise

from ..sentences import sentence_ends

STATED = 2.0
"""What a stated relation counts for, beside a common chunk."""
_MOST = 3
_LONGEST = 500
"""Characters of the longest sentence that is taken where there is a shorter one."""


def sentences_of(text: str) -> list[str]:
    """The sentences of ``text``, each on one line."""
    parts = (" ".join(text[a:b].split()) for a, b in pairwise([0, *sentence_ends(text)]))
    return [part for part in parts if part]


def telling(sentences: Sequence[str], names: Set[str], evidence: Set[str]) -> list[str]:
    """Those of a chunk's sentences that say most of these names, in reading order: those in ``evidence``
    state a relation between two of them. Where none does, its first."""
    said = {" ".join(sentence.split()) for sentence in evidence}
    ranked = sorted(
        (
            (len(sentence) > _LONGEST, -_worth(sentence, names, said), at)
            for at, sentence in enumerate(sentences)
        )
    )
    kept = [entry for entry in ranked if entry[1] < 0] or ranked[:1]
    short = [entry for entry in kept if not entry[0]] or kept[:1]
    return [sentences[at] for at in sorted(at for _, _, at in short[:_MOST])] or sorted(said)[:1]


def _worth(sentence: str, names: Set[str], said: Set[str]) -> float:
    found = sum(1 for name in names if name in sentence)
    return found + (STATED if sentence in said else 0.0)

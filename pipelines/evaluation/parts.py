"""What is asked of a part: a sample of its questions, of an index that holds what they are about."""

from __future__ import annotations

import random
from dataclasses import replace

from ...indexer.errors import ConfigurationError
from ...query.index import Index
from .places import record_of, source_of
from .questions import Part


def sampled(part: Part, limit: int | None, seed: int) -> Part:
    """``part`` with at most ``limit`` of its questions, drawn by ``seed``, in their order."""
    if limit is None or len(part.questions) <= limit:
        return part
    drawn = random.Random(seed).sample(range(len(part.questions)), limit)
    return replace(part, questions=tuple(part.questions[i] for i in sorted(drawn)))


def halved(part: Part, half: int, seed: int) -> Part:
    """The first or the second half of the questions of ``part``, parted by ``seed`` over their ids: what is
    fitted on one can be measured on the other."""
    order = sorted(part.questions, key=lambda question: question.id)
    random.Random(seed).shuffle(order)
    middle = len(order) // 2
    kept = {question.id for question in (order[:middle] if half == 1 else order[middle:])}
    return replace(part, questions=tuple(question for question in part.questions if question.id in kept))


def check_gold(part: Part, index: Index) -> None:
    """Raises ConfigurationError for an index that was not meant: it holds none of the documents (or
    records) that the questions are about."""
    gold = {place for question in part.questions for place in question.gold}
    held = {document.source for document in index.documents.values()}
    if part.unit == "page":
        wanted = {str(source_of(place, part.unit)) for place in gold}
        found = wanted & held
    else:
        wanted, held = gold, {record_of(source) for source in held} - {""}
        # A record that is a chunk of a longer text is named after it: <document>#<n>.
        found = {place for place in wanted if place in held or place.rpartition("#")[0] in held}
    if wanted and not found:
        shown = ", ".join(sorted(wanted)[:3])
        raise ConfigurationError(
            f"the index holds none of the documents that the questions of {part.name} are about ({shown}); "
            "it has other sources, or none of them could be read"
        )

"""From the user's documents to a set of labelled questions: read, ask each kind, sample."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from ....indexer.errors import ConfigurationError
from ....indexer.models.call_cache import CallCache, MemoryCallCache
from ....indexer.models.ports import LanguageModel
from ....indexer.sources import parse_roots
from ...config import Config
from ...events import Listener, ignore_events
from ..questions import EvaluationSet, Part
from .candidates import sampled, together
from .gathering import KINDS, Gathering, withheld_entries
from .reading import Reading, spelled
from .written import write_questions

WRITTEN = "written"
"""The kind that a model writes."""
NAME = "own"
_NAMED = 5
"""Documents that are named of those that could not be read."""


def own_questions(
    sources: Sequence[str],
    config: Config,
    kinds: Sequence[str] = KINDS,
    *,
    seed: int = 0,
    per_kind: int = 200,
    llm: LanguageModel | None = None,
    cache: CallCache | None = None,
    on_event: Listener = ignore_events,
    cancel: threading.Event | None = None,
) -> EvaluationSet:
    """Make questions from the documents below ``sources`` (in the spelling of ``treegraph build``).

    One part of unit ``page`` over all of them, with at most ``per_kind`` questions of each kind, chosen by
    ``seed``: the same documents give the same questions, and another document displaces but a few of them.
    ``written`` asks ``llm``, whose answers go to ``cache``. What could not be read, and how much of each
    kind was found and kept, is in the notes. In a document without pages a place is the section by which
    a hit there is cited, under the chunking of ``config``.

    Raises ConfigurationError for an unknown kind, for ``written`` without a model, and where not one
    question could be made; SourceUnreadable; Cancelled.
    """
    _check(kinds, per_kind, llm)
    stop = threading.Event() if cancel is None else cancel
    roots = parse_roots(sources)
    reading = Reading(roots, config, on_event, stop)
    plain = tuple(dict.fromkeys(kind for kind in kinds if kind != WRITTEN))
    gathering = Gathering(plain, seed, WRITTEN in kinds)
    for read in reading.read():
        gathering.add(read)
    asked, notes = gathering.chosen(per_kind)
    if WRITTEN in kinds and llm is not None:
        passages = sampled(gathering.passages, seed, len(gathering.passages))
        kept = MemoryCallCache() if cache is None else cache
        written = write_questions(passages, llm, kept, per_kind, on_event, stop)
        asked += together(written.candidates)
        notes += written.notes()
    notes = (*_unread(reading), *notes)
    if not asked:
        raise ConfigurationError("no question could be made from these documents: " + "; ".join(notes))
    where = tuple(spelled(root) for root in roots)
    questions = tuple(candidate.question() for candidate in asked)
    left_out, withheld = frozenset(gathering.left_out), withheld_entries(asked)
    return EvaluationSet(NAME, (Part(NAME, where, questions, "page", left_out, withheld),), None, notes)


def _check(kinds: Sequence[str], per_kind: int, llm: LanguageModel | None) -> None:
    known = (*KINDS, WRITTEN)
    for kind in kinds:
        if kind not in known:
            raise ConfigurationError(f"there is no kind of question {kind!r}; there are {', '.join(known)}")
    if not kinds:
        raise ConfigurationError(f"name at least one kind of question: {', '.join(known)}")
    if per_kind < 1:
        raise ConfigurationError(f"at least one question a kind is asked, not {per_kind}")
    if WRITTEN in kinds and llm is None:
        raise ConfigurationError(
            "written questions need a model: set [llm] model and base_url, or --llm MODEL@URL"
        )


def _unread(reading: Reading) -> tuple[str, ...]:
    """What could not be read: how many, why, and the first few by name."""
    failed = len(reading.failed)
    if not failed:
        return ()
    named = ", ".join(f"{source} ({reason})" for source, reason in reading.failed[:_NAMED])
    rest = f" and {failed - _NAMED} more" if failed > _NAMED else ""
    return (f"{failed} of {failed + reading.documents} documents could not be read: {named}{rest}",)

"""An evaluation: every part of a set under every configuration, as rows, differences and slices."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from ...indexer.digests import digest
from ...indexer.models.tokenizer import load_tokenizer
from ...query.index import Index
from ..config import Config
from ..events import Event, Listener, ignore_events
from ..opening import open_index
from ..spending import Spending, sharing
from .answers.measuring import AnswerMeasuring, answering_config, with_modes
from .answers.scoring import spent
from .asking import Asker, Asking, ask_all, with_metrics
from .capped import CappedAsker, require_room
from .described import described, label
from .distinctive import DistinctiveTerms
from .grid import Variant
from .indexes import BuiltIndex, GivenModels, built_index
from .intervals import means, paired
from .journal import Journal
from .kept_hits import CONFIGURATIONS, with_hits_of, worst_questions
from .keys import answers_key, asked_digest
from .measures import ranking_metrics
from .noted_quality import note_quality
from .outcomes import Difference, EvaluationReport, Outcome, Row
from .packages import ir_measures
from .parts import check_gold, sampled
from .places import page_place
from .questions import EvaluationSet, Part
from .slices import slices_of

BUDGET = 2000
DEPTH = 100
_COUNTED = 20_000
"""Texts whose tokens are remembered: most hits are found by many questions and configurations."""


@dataclass(frozen=True, slots=True)
class Measuring:
    """How a set is measured: ``budget`` tokens of evidence, ``depth`` hits a question, at most ``limit``
    questions a part (a sample by ``seed``), an ``index`` that stands instead of those that would be
    built, ``titles``: nothing is withheld from what is indexed. ``answers``: what is measured of answers,
    which are asked for instead of hits. ``spending``: what all paid calls may spend together."""

    work: Path
    index: Path | None = None
    budget: int = BUDGET
    depth: int = DEPTH
    limit: int | None = None
    seed: int = 0
    titles: bool = False
    answers: AnswerMeasuring | None = None
    spending: Spending | None = None


def evaluate(
    chosen: EvaluationSet,
    variants: Sequence[Variant],
    measuring: Measuring,
    *,
    left_out: Mapping[str, str] | None = None,
    models: GivenModels | None = None,
    on_event: Listener = ignore_events,
    cancel: threading.Event | None = None,
) -> EvaluationReport:
    """Ask the questions of ``chosen`` under every one of ``variants``; the first is what the others are
    compared with.

    Indexes are built, or reused, in ``measuring.work``; an interrupted evaluation goes on where it
    stopped when it is called again. ``left_out`` is passed on to the report, which keeps the hits of the
    worst questions alone (:mod:`.kept_hits`). Raises what builds and searches raise as a whole (Cancelled
    too), and WorkError at a cap; a question that fails is an error of its own.
    """
    with sharing(measuring.spending):
        return _evaluate(chosen, variants, measuring, left_out or {}, models, on_event, cancel)


def _evaluate(
    chosen: EvaluationSet,
    variants: Sequence[Variant],
    measuring: Measuring,
    left_out: Mapping[str, str],
    models: GivenModels | None,
    on_event: Listener,
    cancel: threading.Event | None,
) -> EvaluationReport:
    ir_measures()  # what is missing is missed before hours of work
    models = models or GivenModels()
    variants = with_modes(variants, models.llm is not None, measuring.answers is not None)
    run = _Run(measuring, models, on_event, cancel or threading.Event())
    rows: list[Row] = []
    differences: list[Difference] = []
    questions: dict[str, dict[str, dict[str, object]]] = {}
    for part in chosen.parts:
        asked = sampled(part, measuring.limit, measuring.seed)
        questions[part.name] = {q.id: {"text": q.text, "fields": dict(q.fields)} for q in asked.questions}
        ours = run.rows(asked, variants)
        rows += ours
        differences += [each for row in ours[1:] for each in _differences(ours[0], row)]
    for journal in run.journals:
        journal.drop()
    if measuring.index is not None:
        note_quality(measuring.index, run.of_given)
    return EvaluationReport(
        name=chosen.name,
        rows=tuple(rows),
        differences=tuple(differences),
        left_out=dict(left_out),
        notes=(*chosen.notes, *dict.fromkeys(run.notes)),
        questions=questions,
    )


class _Run:
    """One evaluation under way: what it learned, and the journals that it may drop at its end."""

    def __init__(
        self, measuring: Measuring, models: GivenModels, listen: Listener, cancel: threading.Event
    ) -> None:
        self._measuring = measuring
        self._models = models
        self._listen = listen
        self._cancel = cancel
        self._terms: dict[str, DistinctiveTerms] = {}
        # One tokenizer for all that is compared, whatever the configurations say.
        self._count = lru_cache(_COUNTED)(load_tokenizer(Config().chunk.tokenizer).count)
        self.notes: list[str] = []
        self.of_given: list[tuple[int, Row]] = []
        """Of an index that was given: its generation, and the first configuration's row of each part."""
        self.journals: list[Journal] = []

    def rows(self, part: Part, variants: Sequence[Variant]) -> list[Row]:
        """Measure one part under every configuration."""
        rows: list[Row] = []
        kept: frozenset[str] = frozenset()
        for number, variant in enumerate(variants):
            row, generation = self._row(part, variant)
            if number == 0:
                if generation is not None:
                    self.of_given.append((generation, row))
                kept = worst_questions(row)
            rows.append(with_hits_of(row, kept if number < CONFIGURATIONS else frozenset()))
        return rows

    def _row(self, part: Part, variant: Variant) -> tuple[Row, int | None]:
        """A part under one configuration, and the generation that was asked."""
        built = self._built(part, variant)
        models, measuring = self._models, self._measuring
        asked = asked_digest(part, measuring.depth, measuring.budget, measuring.titles)
        if measuring.answers:
            asked = digest([asked, measuring.answers.asked(part, measuring.seed)])
        config, llm = answering_config(variant, models.llm) if measuring.answers else (variant.config, None)
        with open_index(
            built.path, config=config, embedder=models.embedder, llm=llm, reranker=models.reranker
        ) as index:
            check_gold(part, index)
            key = answers_key(asked, variant, built, index, models)
            outcomes = self._outcomes(index, part, variant, key)
            languages = {document.source: document.language for document in index.documents.values()}
            generation = index.generation
        seconds = [outcome.seconds for outcome in outcomes]
        p50, p95 = np.percentile(seconds, [50, 95])
        self._note_failures(part, variant, outcomes)
        row = Row(
            set=part.name,
            config=described(variant),
            queries=len(outcomes),
            metrics=means([outcome.values for outcome in outcomes]),
            seconds={"p50": float(p50), "p95": float(p95), "build": built.seconds},
            tokens={**built.tokens, **spent([outcome.values for outcome in outcomes])},
            cost=built.cost,
            slices=tuple(slices_of(part, outcomes, languages)),
            outcomes=tuple(outcomes),
            asked=asked,
        )
        return row, generation

    def _built(self, part: Part, variant: Variant) -> BuiltIndex:
        given = self._measuring.index
        if given is not None:
            if part.withheld and not self._measuring.titles:
                self.notes.append(
                    f"{part.name}: titles that questions ask for may stand in {given}, which was built "
                    "before: that flatters those questions"
                )
            return BuiltIndex(given, digest(["given", str(given.resolve())]), 0.0, {}, {}, {})
        built = built_index(
            part,
            variant.config,
            self._measuring.work,
            structures=variant.needs,
            models=self._models,
            titles=self._measuring.titles,
            on_event=self._listen,
            cancel=self._cancel,
        )
        require_room(self._measuring.spending, f"building the index of {part.name}", self._measuring.work)
        for source, reason in built.failed.items():
            self.notes.append(f"{part.name}: {source} is not in the index: {reason}")
        return built

    def _outcomes(self, index: Index, part: Part, variant: Variant, key: str) -> list[Outcome]:
        measuring = self._measuring
        asking = self._asker(index, part, variant)
        if measuring.spending is not None:
            asking = CappedAsker(asking, measuring.spending, measuring.work)
        journal = Journal(measuring.work / "journals" / f"{key}.jsonl")
        self.journals.append(journal)
        total = len(part.questions)
        item = label(part, variant)

        def tell(done: int) -> None:
            self._listen(Event(f"ask {len(self.journals)}", done, total, "questions", item))

        answers = ask_all(index, part, asking, journal, tell, self._cancel)
        if measuring.answers:
            return [answered.outcome for answered in answers]
        metrics = ranking_metrics(
            {answered.outcome.question: answered.ranking for answered in answers},
            {question.id: question.gold for question in part.questions},
        )
        return list(with_metrics(answers, metrics))

    def _asker(self, index: Index, part: Part, variant: Variant) -> Asker:
        measuring = self._measuring
        if measuring.answers:
            return measuring.answers.answering(part, variant, measuring.seed, self._count)
        terms = self._distinctive(index, part, variant.config) if part.unit == "page" else None
        return Asking(variant.route, variant.rerank, measuring.depth, measuring.budget, self._count, terms)

    def _distinctive(self, index: Index, part: Part, config: Config) -> DistinctiveTerms:
        """The distinctive terms of the pages of an index; alike for all that reads the pages alike."""
        key = digest([part.name, asdict(config.load), list(map(str, config.documents)), list(config.ignore)])
        if key not in self._terms:
            pages: dict[str, str] = {}
            languages: dict[str, str | None] = {}
            for document in index.documents.values():
                for number, text in index.page_texts(document.id).items() if document.page_count else ():
                    place = page_place(document.source, number)
                    pages[place], languages[place] = text, document.language
            self._terms = {key: DistinctiveTerms(pages, languages)}
        return self._terms[key]

    def _note_failures(self, part: Part, variant: Variant, outcomes: Sequence[Outcome]) -> None:
        failed = [outcome for outcome in outcomes if outcome.error]
        if failed:
            self.notes.append(
                f"{label(part, variant)}: {len(failed)} of {len(outcomes)} questions failed and count as "
                f"found nothing; the first: {failed[0].error}"
            )
        degraded = Counter(step for outcome in outcomes for step in outcome.degraded)
        if degraded:
            steps = ", ".join(
                f"{step} ({count} of {len(outcomes)})" for step, count in sorted(degraded.items())
            )
            self.notes.append(f"{label(part, variant)}: done without {steps}")


def _differences(first: Row, row: Row) -> list[Difference]:
    before, after = ([outcome.values for outcome in each.outcomes] for each in (first, row))
    return [
        Difference(row.set, row.config, metric, d.mean, d.low, d.high, d.low > 0 or d.high < 0)
        for metric, d in paired(before, after).items()
    ]

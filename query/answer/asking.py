"""One question through all steps of an answer: search, judge, gather, write or extract, compare editions."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

from ...indexer.errors import ConfigurationError, ModelCallError, ModelUnavailable, WorkError
from ...indexer.models import as_llm
from ...indexer.models.ports import LanguageModel
from ...indexer.tracing import span
from ...indexer.types import Citation
from ...indexer.word_forms import is_dense
from ..models import Models
from ..opened import OpenGeneration
from ..phrases import question_forms
from ..request import Request
from ..result import SearchResult
from .asked import Asked
from .bearing import bears
from .calls import Calls
from .composing import Composer
from .conflicts import conflicts
from .counting import is_counted
from .evidence import Source, gather
from .extracted import Extracting, listed
from .followup import self_contained, turns_of
from .passages import Passages
from .request import Question
from .result import Answer, Step, TokenCount
from .review import Reviewed
from .rewriting import rewritten
from .settings import AnswerSettings
from .wording import not_found
from .writing import write

log = logging.getLogger(__name__)

SPARE = 0.1
"""The share of the time that a model does not get, so that an extract can take its place."""
LENT = 0.3
"""What a word weighs that a question has from an earlier one."""
NO_MODEL = (
    "an agentic answer needs a language model, and none is configured: give --llm MODEL@URL (llm=), set "
    "[llm] in the configuration, or ask without agentic"
)
LATE = "hybrid"
"""What a result names as done without where the time was up before its first search."""
DENSE = "dense"
"""What it names where the embedder was late, and there were only words to go by."""
TOO_LATE = "the time was up before anything was found: ask with a later deadline"
WITHOUT_MODEL = "llm"
"""What a degraded answer names: the model failed, and an extract took its place."""


def answer(
    question: Question,
    opened: OpenGeneration | None,
    find: Callable[[Request], SearchResult],
    models: Models,
    settings: AnswerSettings,
    min_confidence: float = 0.0,
) -> Answer:
    """Answer ``question`` from ``opened``, which ``find`` searches; passages of less than ``min_confidence``
    complete no other. Raises as a search does, and ConfigurationError for a wrong argument. A model that
    fails is done without."""
    until = None if question.deadline is None else monotonic() + question.deadline
    settled = question.settled(settings)
    extracting = Extracting(models, settled.sentences, until)
    return _Asking(question, opened, find, models, settled, extracting, until, min_confidence).answer()


@dataclass(slots=True)
class _Asking:
    """One question under way. ``failure``: why the model could not be reached, or what it wrote not be used;
    ``told``: after pieces of it had been handed on, so that another text would be glued to them;
    ``calls`` and ``tokens``: what its searches took of a model."""

    question: Question
    opened: OpenGeneration | None
    find: Callable[[Request], SearchResult]
    models: Models
    settings: AnswerSettings
    extracting: Extracting
    until: float | None
    min_confidence: float
    failure: str = ""
    faults: Counter[str] = field(default_factory=Counter)
    steps: tuple[Step, ...] = ()
    told: bool = False
    calls: int = 0
    tokens: TokenCount = field(default_factory=TokenCount)

    def answer(self) -> Answer:
        """Go through all steps."""
        turns = turns_of(self.question.history)
        calls = self._calls()
        asked = self.question.text
        if turns:
            language = self.settings.language
            again = rewritten(asked, turns, calls, language, self.faults) if calls else None
            asked = again or self_contained(asked, turns, language)
        result = self._search(asked)
        whole = Asked.of(asked, self._weights(result), _dense(result))
        if LATE in result.degraded and not result.hits:
            raise WorkError(TOO_LATE)
        own = bearing = bears(asked, result, self.settings.floor)
        self.extracting.unlike = DENSE in result.degraded
        if self.extracting.unlike and not own:  # it may be that the words alone do not tell
            raise WorkError(TOO_LATE)
        if self.opened is None:
            return self._finished(Composer(), whole, (), result, calls)
        passages = self._passages(self.opened)
        if self.question.agentic and calls:
            result, bearing = self._researched(result, self.opened, passages, calls)
        if not bearing:
            return self._finished(Composer(), whole, (), result, calls)
        sources = gather(result, passages, self.settings.budget)
        with span("treegraph.ask.write", **{"treegraph.passages": len(sources)}):
            composer = self._written(whole, sources, calls) if calls else None
        written = composer is not None
        if composer is None:  # an extract goes by the question's words, not by those of further searches
            said = own and not is_counted(result.enumeration)
            composer = self.extracting.extracted(whole, sources, result) if said else Composer()
        model = calls.llm.name if calls and written else ""
        return self._finished(composer, whole, sources, result, calls, model)

    def _search(self, text: str, route: str | None = None) -> SearchResult:
        left = None if self.until is None else max(0.0, self.until - monotonic())
        result = self.find(self.question.request(text, route, left))
        self.calls += result.calls
        self.tokens += result.tokens
        return result

    def _passages(self, opened: OpenGeneration) -> Passages:
        question = self.question
        access = opened.readers.access(question.labels, question.filters, question.sources, question.as_of)
        sure = replace(access, min_confidence=self.min_confidence)
        return Passages(opened.snapshot, opened.catalogue.documents, sure)

    def _researched(
        self, first: SearchResult, opened: OpenGeneration, passages: Passages, calls: Calls
    ) -> tuple[SearchResult, bool]:
        """What further searches add to the first, and whether any of it bears on what was asked."""
        from .agentic import research

        found = research(
            first,
            opened,
            self._search,
            lambda result: gather(result, passages, self.settings.budget),
            calls,
            self.settings,
            self.faults,
        )
        self.steps = found.steps
        return found.result, found.bearing

    def _weights(self, result: SearchResult) -> dict[str, float]:
        """What the words of the search weigh; those that an earlier question lent it less, since they say
        where an answer stands and not which it is."""
        weights = dict((result.explanation or {}).get("terms", {}))
        if result.question == self.question.text or self.opened is None:
            return weights
        languages = (None, *self.opened.catalogue.languages)
        own = {form for language in languages for form in question_forms(self.question.text, language)}
        return {form: weight * (1 if form in own else LENT) for form, weight in weights.items()}

    def _calls(self) -> Calls | None:
        try:
            given = self.question.llm
            llm: LanguageModel | None = as_llm(given) if given is not None else self.models.llm()
        except ModelUnavailable as error:
            self._without(error)
            return None
        if llm is None and self.question.agentic:
            raise ConfigurationError(NO_MODEL)
        if llm is None:
            return None
        spare = SPARE * (self.question.deadline or 0.0)
        return Calls(llm, None if self.until is None else self.until - spare)

    def _without(self, error: Exception) -> None:
        log.info("an extract instead of the model's answer: %s", error)
        self.failure = str(error) or type(error).__name__

    def _written(self, asked: Asked, sources: Sequence[Source], calls: Calls) -> Composer | None:
        """The model's answer; None where it has none that can be used."""
        telling = Composer(self.question.on_text)

        def tell(sentence: Reviewed | None) -> None:
            if sentence is None:
                telling.begin_anew()
                return
            sources = [source.stating(sentence.text) for source in sentence.sources]
            telling.add(sentence.text, sources, sentence.flags, sentence.lead)

        streamed = tell if self.question.on_text else None
        room, language = self.settings.tokens, self.settings.language
        try:
            written = write(
                self.question.text, asked.text, sources, calls, language, room, self.faults, streamed
            )
        except ModelCallError as error:
            self._without(error)
            self.told = telling.told
            return None
        if not written.found:
            return Composer()
        if streamed is None:
            for sentence in written.sentences:
                tell(sentence)
        return telling

    def _finished(
        self,
        composer: Composer,
        asked: Asked,
        sources: Sequence[Source],
        result: SearchResult,
        calls: Calls | None,
        model: str = "",
    ) -> Answer:
        if not composer.sentences and result.enumeration and self.opened and not self.told:
            composer, model = listed(result.enumeration, self._passages(self.opened)), ""
        found = bool(composer.sentences)
        text = composer.text if found else not_found(self.settings.language)
        if self.question.on_text and not (composer.told or self.told):
            self.question.on_text(text)
        return Answer(
            question=self.question.text,
            text=text,
            sentences=tuple(composer.sentences),
            citations=tuple(composer.citations),
            grounded=found and all(s.citations and not s.flags for s in composer.sentences),
            found=found,
            nearest=() if found else self._nearest(result),
            conflicts=conflicts(asked, sources) if found else (),
            result=self._as_told(result),
            calls=self.calls + (calls.made if calls else 0),
            tokens=self.tokens + calls.tokens if calls else self.tokens,
            model=model,
            steps=self.steps,
            faults=dict(self.faults),
            failure=self.failure,
        )

    def _as_told(self, result: SearchResult) -> SearchResult:
        """The search as the answer tells of it: with what its own steps did without."""
        late = [DENSE] if self.extracting.unlike else []
        failed = [WITHOUT_MODEL] if self.failure else []
        degraded = tuple(dict.fromkeys((*result.degraded, *late, *failed)))
        if self.question.explain:
            return replace(result, degraded=degraded)
        hits = tuple(replace(hit, explanation=None) for hit in result.hits)  # it was wanted here alone
        return replace(result, hits=hits, degraded=degraded, explanation=None)

    def _nearest(self, result: SearchResult) -> tuple[Citation, ...]:
        """The places of the first hits, each once."""
        places = dict.fromkeys(hit.citations[0] for hit in result.hits if hit.citations)
        return tuple(places)[: self.settings.nearest]


def _dense(result: SearchResult) -> float:
    """The share that the search gave to likeness; half of it where the embedder may not know the script."""
    share = float((result.explanation or {}).get("weights", {}).get("dense", 0.5))
    return share / 2 if is_dense(result.question) else share

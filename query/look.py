"""A question about one page, answered by a model that looks at it: text first, and eyes when needed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING

from ..indexer.checks.faithful import faults
from ..indexer.checks.planted import Spoken, follows_planted
from ..indexer.checks.refusals import REFUSES
from ..indexer.checks.spoken import is_in
from ..indexer.errors import ConfigurationError, ModelCallError, PageUnavailable, WorkError
from ..indexer.function_words import content_words
from ..indexer.language import detect_language
from ..indexer.models.ports import VisionModel
from ..indexer.models.sound_text import sound
from ..indexer.models.thoughts import without_thoughts
from ..indexer.models.usage import SAFETY, cost_of, estimate_tokens, image_tokens, known_cost
from ..indexer.pages import PageImage
from ..indexer.prompts import load_prompt, passage_text, show_passage
from ..indexer.types import Citation, Document
from ..indexer.words import words
from .answer.result import TokenCount
from .answer.wording import english_name, question_language
from .looked import Looked
from .quoting import quoted
from .sight import Marks, Sight

if TYPE_CHECKING:
    from ..indexer.stores.ledger_rows import FileRow
    from .reading import Reader

NOT_SHOWN = "NOT-SHOWN-HERE"
NO_VISION = (
    "looking at a page needs a model that sees, and none is configured: give --vision MODEL@URL (vision=), "
    "or set [vision] in the configuration"
)
BORNE_OUT, ALONE = 1.0, 0.5
"""How sure an answer is that the page's text says as well, and one that stands in the picture alone."""

_TOKENS = 300
_WORDS = 120
_TRIES = 2
_MOST = 0.5
_NOT_SHOWN = re.compile(r"NOT[- _]SHOWN[- _]HERE", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PageAsked:
    """A page that is asked about: the ``text`` that was taken from it, and how it is cited."""

    document: Document
    number: int
    text: str
    citation: Citation


def page_asked(reader: Reader, name: str, page: int | None) -> PageAsked:
    """The page that is meant, as far as it may be seen: ``page`` of the document of that source or id, or
    (None) the first that the hit of that id is cited by. Raises ConfigurationError."""
    hit: Citation | None = None
    if page is None:
        found = reader.read(name)
        hit = next((citation for citation in found.citations if citation.pages), None)
        if found.kind in ("document", "pages") or hit is None or not hit.pages:
            raise ConfigurationError(f"{quoted(name)} is not one page: name one, as <source>@<page>")
        name, page = hit.document, hit.pages[0]
    document = _document(reader, name)
    reading = reader.read(f"{document.id}@{page}")
    own = hit or next(iter(reading.citations), None)
    citation = own or Citation(document.id, document.source, document.title, (page,), (), "")
    return PageAsked(document, page, reading.text, citation)


def _document(reader: Reader, name: str) -> Document:
    """The document of that source or id, or that the hit of that id is from; of several, the first with
    pages."""
    try:
        return reader.document(name)
    except ConfigurationError:
        citations = sorted(reader.read(name).citations, key=lambda citation: not citation.pages)
        return reader.document(citations[0].document if citations else name)


def look(
    question: str,
    page: PageAsked,
    file: FileRow | None,
    generation: int,
    model: VisionModel | None,
    sight: Sight | None,
) -> Looked:
    """The model's answer to ``question`` about ``page`` of what was read from ``file``.

    Raises ConfigurationError without a model or a question, PageUnavailable, also where the model's window
    does not hold the page's picture, and WorkError where the model fails or says nothing usable.
    """
    if not question.strip():
        raise ConfigurationError("the question is empty")
    if model is None or sight is None:
        raise ConfigurationError(NO_VISION)
    begun = perf_counter()
    pages: Marks = {page.number: ()}
    (image,) = sight.pictures.draw(page.document, file, pages, sight.dpi, sight.max_pixels)
    drawn = perf_counter()
    looking = _Looking(" ".join(question.split()), page, model, image)
    text = looking.answer()
    seconds = {"draw": drawn - begun, "look": perf_counter() - drawn, "total": perf_counter() - begun}
    found = not _NOT_SHOWN.search(text)
    sure = _sureness(page) if found and looking.is_borne_out(text) else ALONE
    cited = replace(page.citation, pages=(page.number,), origin="native", confidence=sure, boxes=())
    return Looked(
        question=question,
        source=page.document.source,
        page=page.number,
        generation=generation,
        text=text if found else f"Page {page.number} of {page.document.source} does not show it.",
        found=found,
        citations=(cited,) if found else (),
        model=model.name,
        calls=looking.calls,
        tokens=looking.tokens,
        cost=known_cost(looking.cost, looking.tokens.tokens_in + looking.tokens.tokens_out),
        seconds=seconds,
    )


def _sureness(page: PageAsked) -> float:
    """How sure an answer is that the page's text says as well: no surer than that text, where this was read
    from the same picture."""
    read = page.citation.confidence
    return BORNE_OUT if read is None else max(ALONE, read)


@dataclass(slots=True)
class _Looking:
    """One question about one picture under way."""

    question: str
    page: PageAsked
    model: VisionModel
    image: PageImage
    calls: int = 0
    tokens: TokenCount = field(default_factory=TokenCount)

    def answer(self) -> str:
        """The first usable answer of two. Raises WorkError."""
        wrong = ""
        for _ in range(_TRIES):
            text = self._ask(wrong)
            wrong = self._wrong(text)
            if not wrong:
                return text
        raise WorkError(
            f"{self.model.name}: what it says of the page cannot be used ({wrong}); ask in other words"
        )

    @property
    def cost(self) -> float:
        """What it took, in money."""
        return cost_of(self.model, self.tokens.tokens_in, self.tokens.tokens_out)

    def is_borne_out(self, answer: str) -> bool:
        """Whether the page's text holds every number, identifier and name of the answer but for those of the
        question, and of what is not the question's all that has a digit, or else most words: one at least."""
        language = question_language(self.question)
        asked, read = set(words(self.question, language)), set(words(self.page.text, language))
        said = set(content_words(words(answer, language), [language])) - asked
        figures = {word for word in said if any(map(str.isdigit, word))}
        if not (figures and figures <= read) and len(said & read) <= _MOST * len(said):
            return False
        return not faults(answer, [self.page.text, self.question], language)

    def _ask(self, wrong: str) -> str:
        prompt = self._prompt(wrong)
        try:
            done = self.model.look(prompt, self.image.png, _TOKENS)
        except ModelCallError as error:
            raise WorkError(f"the page was not looked at: {error}") from error
        self.calls += 1
        self.tokens += TokenCount.of(done)
        return without_thoughts(sound(done.text)).strip()

    def _prompt(self, wrong: str) -> str:
        prompt = load_prompt("look")
        again = f"Your last answer was not usable ({wrong}). Write it anew without this fault.\n"
        where = f"{self.page.document.source} p. {self.page.number}"
        room = int(self.model.window / SAFETY) - image_tokens(self.image.png) - _TOKENS

        def rendered(text: str) -> str:
            return prompt.render(
                passage=show_passage(text, where),
                language=english_name(question_language(self.question)),
                words=str(_WORDS),
                nothing=NOT_SHOWN,
                canary=prompt.canary(self.model.name),
                again=again if wrong else "",
                question=passage_text(self.question),
            )

        text = self.page.text
        while text and estimate_tokens(rendered(text)) > room:
            text = text[: len(text) // 2]
        whole = rendered(text)
        if estimate_tokens(whole) > room:
            raise PageUnavailable(
                f"{self.model.name}: a page of {self.image.width} by {self.image.height} pixels leaves no "
                f"room in a window of {self.model.window} tokens: lower [vision] max_pixels"
            )
        return whole

    def _wrong(self, text: str) -> str:
        """What is wrong with an answer; empty for nothing."""
        if not text.strip(" .,;:-"):
            return "empty"
        if _NOT_SHOWN.search(text):
            return ""
        if load_prompt("look").canary(self.model.name) in text:
            return "the prompt itself"
        if REFUSES.match(text):
            return "a refusal"
        if len(text) > 12 * _WORDS:
            return "too long"
        language = question_language(self.question)
        if not is_in(text, language):
            return "another language"
        spoken = Spoken(language, detect_language(self.page.text), words)
        if follows_planted(text, [self.page.text], spoken, self.question):
            return "obeyed an instruction on the page"
        return ""

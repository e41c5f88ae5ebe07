"""An answer written by a language model over numbered passages, and reviewed sentence by sentence.

The sentences are reviewed as they come, so that what is handed on while it streams is what the answer
will hold. What is not usable as a whole is asked for once more, with the fault named, unless a part of it
was handed on already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ...indexer.errors import InvalidModelOutput
from ...indexer.models.usage import SAFETY, estimate_tokens
from ...indexer.prompts import Prompt, load_prompt, passage_text, show_passage
from .calls import Calls
from .evidence import Source
from .marks import set_apart
from .review import NOTHING, Handed, Review, Reviewed
from .wording import english_name

Tell = Callable[[Reviewed | None], None]
"""Takes the sentences of an answer, each once it was reviewed; None: those before were none of it."""
NO_SOURCE = "no sentence cites a passage"
_WORDS_A_TOKEN = 0.6
_MEANT = "The question goes on from earlier ones. The passages were searched for with this rewriting of it:"


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote. ``found`` is False where it says that the passages do not say."""

    sentences: tuple[Reviewed, ...]
    found: bool


def write(
    question: str,
    searched: str,
    sources: Sequence[Source],
    calls: Calls,
    language: str,
    room: int,
    faults: Counter[str],
    tell: Tell | None,
) -> Written:
    """The model's answer to ``question``, which was ``searched`` for in these words, in at most ``room``
    tokens; what was found wrong is counted in ``faults``. Raises ModelCallError, and InvalidModelOutput
    where what it wrote cannot be used."""
    prompt = load_prompt("answer")
    asked = Handed(question, searched, {}, {}, language, prompt.canary(calls.llm.name))
    handed, text = _fitting(prompt, asked, sources, calls, room)
    handing = _HandingOn(tell)
    wrong = ""
    for last in (False, True):
        review = Review(handed)
        _ask(calls, text(wrong), room, review, handing if tell else None)
        handing.take(review.end(), review.begun_anew)
        faults.update(review.faults)
        cited = any(sentence.sources for sentence in review.sentences)
        if not review.wrong and (cited or review.nothing or last):
            found = cited or not review.nothing
            if found:
                handing.finish()
            return Written(tuple(review.sentences), found)
        wrong = review.wrong or NO_SOURCE
        faults[wrong] += 1
        if handing.begun:
            break
        handing.drop()
    raise InvalidModelOutput(f"{calls.llm.name}: the answer was not usable ({wrong})")


class _HandingOn:
    """Hands sentences on as they come, from the first one on that cites something: until then the answer
    may still be asked for anew."""

    def __init__(self, tell: Tell | None) -> None:
        self._tell = tell
        self._waiting: list[Reviewed] = []
        self._begun_anew = 0
        self.begun = False

    def take(self, sentences: Sequence[Reviewed], begun_anew: int) -> None:
        """Hand these on, or keep them waiting. What came before is taken back where the answer has
        ``begun_anew`` since."""
        if begun_anew > self._begun_anew:
            self._take_back()
        self._begun_anew = begun_anew
        self._waiting += sentences
        if self.begun or any(sentence.sources for sentence in sentences):
            self.finish()

    def finish(self) -> None:
        """Hand on whatever waits."""
        for sentence in self._waiting if self._tell else ():
            self.begun = True
            self._tell(sentence)  # type: ignore[misc]
        self.drop()

    def _take_back(self) -> None:
        self.drop()
        if self.begun and self._tell:
            self._tell(None)
        self.begun = False

    def drop(self) -> None:
        """Forget what waits."""
        self._waiting = []


def place_of(source: Source) -> str:
    """Where a source is from, in a line: file, pages, title, section, table, edition and date."""
    citation, document = source.citation, source.document
    parts = [citation.source]
    if citation.pages:
        first, last = citation.pages[0], citation.pages[-1]
        parts[0] += f" p. {first}" if first == last else f" p. {first}-{last}"
    title = "" if citation.title in citation.section else citation.title
    parts += [said for said in (title, " > ".join(citation.section), source.over) if said]
    if document and document.edition:
        parts.append(f"edition {document.edition}")
    if document and document.valid_from:
        parts.append(f"valid from {document.valid_from.isoformat()}")
    if source.summary:
        parts.append("a summary of several passages")
    return ", ".join(parts)


def _ask(calls: Calls, prompt: str, room: int, review: Review, handing: _HandingOn | None) -> None:
    """Have the answer reviewed, piece by piece where it is to be handed on."""
    came = 0

    def take(piece: str) -> None:
        nonlocal came
        came += len(piece)
        sentences = review.take(piece)
        if handing is not None:
            handing.take(sentences, review.begun_anew)

    answer = calls.ask(prompt, room, take if handing else None)
    take(answer[came:])  # all of it, where the model does not stream


def _fitting(
    prompt: Prompt, asked: Handed, sources: Sequence[Source], calls: Calls, room: int
) -> tuple[Handed, Callable[[str], str]]:
    """What the model is handed, and the prompt with it: as many of the sources as its window holds."""
    kept = list(sources)
    while True:
        numbered = dict(enumerate(kept, start=1))
        places = {n: place_of(source) for n, source in numbered.items()}
        handed = replace(asked, sources=numbered, places=places)

        def render(wrong: str, handed: Handed = handed) -> str:
            return _rendered(prompt, handed, room, wrong)

        size = estimate_tokens(render("another language")) * SAFETY + room
        if size <= calls.llm.window or len(kept) <= 1:
            return handed, render
        kept.remove(max(kept, key=lambda source: source.rank))


def _rendered(prompt: Prompt, handed: Handed, room: int, wrong: str) -> str:
    again = f"Your last answer was not usable ({wrong}). Write it anew without this fault.\n" if wrong else ""
    return prompt.render(
        passages="\n".join(
            show_passage(set_apart(s.text), handed.places[n], n) for n, s in handed.sources.items()
        ),
        language=english_name(handed.language),
        words=str(max(12, int(room * _WORDS_A_TOKEN))),
        nothing=NOTHING,
        canary=handed.canary,
        again=again,
        question=_one_line(handed.question),
        meant="" if handed.searched == handed.question else f"{_MEANT} {_one_line(handed.searched)}\n",
    )


def _one_line(question: str) -> str:
    return passage_text(" ".join(question.split()))

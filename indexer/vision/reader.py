"""Pages read by a model that sees: asked, checked, asked once more with the fault named, else given up."""

from __future__ import annotations

import re
import string
import threading

from ..checked_calls import Wrong
from ..errors import ModelCallError, UnusablePage
from ..language import detect_language
from ..models.ports import Completion, ReadingWork, VisionModel
from ..models.usage import SAFETY, cost_of, estimate_tokens, image_tokens
from ..pages import DESCRIBED, PageImage, PageReading
from ..prompts import load_prompt
from .agreement import LEAST_HELD, UNCOMPARED, compare, left_out, settle
from .reply import BLANK, CHECKS, CUT_OFF, Written, read_answer, wrong_form
from .words import trusted

OTHER_PAGE = "not this page's text"
UNENDED = "without the mark of its end"
LEFT_OUT = "passage kept from the text layer"
KEPT = "value kept from the text layer"
ALONE = "value that the text layer does not hold"

_PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]")
_TRIES = 2
_LEAST_ROOM = 256


class VisionPageReader:
    """A PageReader over any VisionModel, with ``tokens`` of room for what it writes of one page.

    What is wrong by its form, speaks another language than the page's text layer or holds too little of it is
    asked for once more, with more room where that was cut, and then refused. Where the layer has another
    value than the model it is the layer's that stands, and what the model leaves out of it comes last.
    ``work`` counts what all of it took. Safe from several threads.
    """

    def __init__(self, model: VisionModel, tokens: int = 3000) -> None:
        self._model = model
        self._tokens = tokens
        self._prompt = load_prompt("read_page")
        self._lock = threading.Lock()
        self.name = f"vision({model.name},{self._prompt.version},{CHECKS})"
        self.concurrency = model.concurrency
        self.work = ReadingWork()

    def read(self, image: PageImage) -> PageReading:
        """What stands on the page, as Markdown, with a confidence from how far its text layer agrees. Raises
        UnusablePage where no answer was usable, and ModelCallError."""
        layer, room = trusted(image.text), self._tokens
        wrong: Wrong | None = None
        for _ in range(_TRIES):
            done = self._ask(image, wrong, room)
            written = read_answer(done.text, self._end)
            wrong = wrong_form(written, layer, done.cut) or _wrong_page(written, layer)
            if wrong is None:
                return self._reading(image.number, written, layer)
            self._count(wrong.reason)
            room = 2 * self._tokens if wrong.reason == CUT_OFF else self._tokens
        assert wrong is not None
        raise UnusablePage(f"{self._model.name}: page {image.number}: {wrong}", wrong.reason)

    @property
    def _end(self) -> str:
        return self._prompt.canary(self.name)

    def _ask(self, image: PageImage, wrong: Wrong | None, room: int) -> Completion:
        again = f"\nYour last answer was not usable ({wrong}). Write the page anew.\n" if wrong else ""
        prompt = self._prompt.render(marker=DESCRIBED, blank=BLANK, end=self._end, again=again)
        taken = (estimate_tokens(prompt) + image_tokens(image.png)) * SAFETY
        room = min(room, int(self._model.window - taken))
        if room < min(_LEAST_ROOM, self._tokens):
            raise ModelCallError(
                f"{self._model.name}: a page of {image.width} by {image.height} pixels leaves no room in a "
                f"window of {self._model.window} tokens: lower [vision] max_pixels"
            )
        done = self._model.look(prompt, image.png, room)
        with self._lock:
            self.work.calls += 1
            self.work.estimated += done.estimated
            self.work.tokens_in += done.tokens_in
            self.work.tokens_out += done.tokens_out
            self.work.cost += cost_of(self._model, done.tokens_in, done.tokens_out)
        return done

    def _reading(self, number: int, written: Written, layer: str) -> PageReading:
        if written.blank:
            return PageReading(number, "native", confidence=UNCOMPARED, why="nothing stands on it")
        if not layer:
            why = "no text layer to compare with"
            return PageReading(number, "native", (), written.markdown, UNCOMPARED, why)
        settled = settle(written.markdown, layer, detect_language(layer))
        self._count(KEPT, settled.kept)
        self._count(ALONE, settled.alone)
        agreement = compare(settled.markdown, layer)
        kept = left_out(settled.markdown, layer)
        self._count(LEFT_OUT, len(kept))
        markdown = "\n\n".join([settled.markdown, *map(_as_markdown, kept)])
        why = f"{agreement.held:.0%} of the text layer's words are in it"
        return PageReading(number, "native", (), markdown, agreement.confidence, why)

    def _count(self, reason: str, times: int = 1) -> None:
        if times:
            with self._lock:
                self.work.faults[reason] += times


def _as_markdown(text: str) -> str:
    """Plain text as a paragraph of Markdown that says just that."""
    return _PUNCTUATION.sub(r"\\\g<0>", text)


def _wrong_page(written: Written, layer: str) -> Wrong | None:
    """What is wrong with a page by what it says. A model that did as the page told it leaves most of the page
    out; where there is nothing to compare with, it mostly forgets the mark at its end as well."""
    if not layer:
        return None if written.ended else Wrong(UNENDED, "write it behind the last line")
    if compare(written.markdown, layer).held < LEAST_HELD:
        return Wrong(OTHER_PAGE, "most of what stands on the page is not in it")
    return None

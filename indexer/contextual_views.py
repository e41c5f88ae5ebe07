"""What a model is shown of a document to situate its chunks: the whole, or a part of it at a time.

Every chunk stands in the shown text itself, between marks that number it, so that nothing is sent twice
in one call. A document of a few calls is shown whole in each, its text before the question, so that a
provider's prompt cache holds it. A longer one is shown in parts that end where a section does, each with
the outline, and each in one call: so the input stays near the document's own size.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .models.usage import estimate_tokens
from .prompts import Prompt
from .types import Chunk, Document

CHUNKS_A_CALL = 16
CALLS_OVER_THE_WHOLE = 2
_MARKS = 10
"""Tokens of a chunk's marks."""
_NEIGHBOURS = 3
_TITLE = 80
"""Characters of a title that an outline shows."""
_LONGEST_GAP = 1200
_SAFETY = 1.15
"""How much a provider's own count may lie above our estimate."""


@dataclass(frozen=True, slots=True)
class View:
    """A stretch of a document as it is shown: ``chunks`` are numbered from 1 in it."""

    document: Document
    chunks: tuple[Chunk, ...]
    outline: str

    def prompt(self, prompt: Prompt, asked: Sequence[int], words: int) -> str:
        """The prompt that asks for the chunks of these numbers."""
        return prompt.render(
            title=_attribute(self.document.title or self.document.source),
            outline=self.outline,
            text=self._marked(),
            numbers=", ".join(map(str, asked)),
            first=str(asked[0]),
            words=str(words),
        )

    def _marked(self) -> str:
        text = self.document.content.text if self.document.content else None
        lines: list[str] = []
        shown = self.chunks[0].span[0]
        section: tuple[str, ...] = ()
        for number, chunk in enumerate(self.chunks, start=1):
            start, end = chunk.span
            if text is not None and start > shown and (gap := text[shown:start].strip()):
                lines.append(_as_data(_clipped(gap)))
            if chunk.section and chunk.section != section:
                lines.append(f"[section: {_as_data(' > '.join(chunk.section))}]")
                section = chunk.section
            # Of a chunk that overlaps the one before it, only what is new.
            fresh = chunk.text[max(0, shown - start) :] or chunk.text
            lines.append(f"<chunk {number}>\n{_as_data(fresh.strip())}\n</chunk>")
            shown = max(shown, end)
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Ask:
    """One call: which chunks of a view to situate."""

    view: View
    numbers: tuple[int, ...]

    def chunk(self, number: int) -> Chunk:
        """The chunk of that number."""
        return self.view.chunks[number - 1]

    def narrowed(self, numbers: Sequence[int]) -> Ask:
        """Ask again for these chunks alone, and show no more than the stretch from first to last."""
        first, last = min(numbers), max(numbers)
        view = View(self.view.document, self.view.chunks[first - 1 : last], self.view.outline)
        return Ask(view, tuple(number - first + 1 for number in numbers))


def plan(document: Document, chunks: Sequence[Chunk], window: int, answer_tokens: int) -> list[Ask]:
    """The calls that situate ``chunks``, each within ``window`` tokens.

    ``answer_tokens`` is the room for one chunk's answer. A chunk for which the window has no room is in
    none of them.
    """
    room = int(window / _SAFETY) - _FIXED_TOKENS
    sizes = [estimate_tokens(chunk.text) + _MARKS for chunk in chunks]
    groups = [range(i, min(i + CHUNKS_A_CALL, len(chunks))) for i in range(0, len(chunks), CHUNKS_A_CALL)]
    if len(groups) <= CALLS_OVER_THE_WHOLE and sum(sizes) + len(groups[0]) * answer_tokens <= room:
        whole = View(document, tuple(chunks), "")
        return [Ask(whole, tuple(i + 1 for i in group)) for group in groups]
    return [
        Ask(_part(document, chunks[start:end]), tuple(range(1, end - start + 1)))
        for start, end in _parts(chunks, [size + answer_tokens for size in sizes], room)
    ]


def tokens_of(document: Document, chunks: Sequence[Chunk]) -> int:
    """About how many tokens the document's text has."""
    if document.content is not None:
        return estimate_tokens(document.content.text)
    return sum(estimate_tokens(chunk.text) for chunk in chunks)


_FIXED_TOKENS = 300
"""Tokens of the prompt without the chunks, with room for a long title, an outline and a chat's frame."""


def _part(document: Document, chunks: Sequence[Chunk]) -> View:
    return View(document, tuple(chunks), _outline(document, chunks))


def _parts(chunks: Sequence[Chunk], sizes: Sequence[int], room: int) -> Iterator[tuple[int, int]]:
    """Runs of chunks that fit ``room``. A run that could go on ends at the greatest break between
    sections in its second half; among equals the chunks' ids decide, so that an edit moves only the
    ends near it."""
    start = 0
    while start < len(chunks):
        if sizes[start] > room:
            start += 1
            continue
        end, used = start, 0
        while end < len(chunks) and end - start < CHUNKS_A_CALL and used + sizes[end] <= room:
            used += sizes[end]
            end += 1
        if end < len(chunks):
            half = start + (end - start + 1) // 2
            end = min(range(max(half, start + 1), end + 1), key=lambda at: _break(chunks, at))
        yield start, end
        start = end


def _break(chunks: Sequence[Chunk], at: int) -> tuple[int, str]:
    before, after = chunks[at - 1].section, chunks[at].section
    if before == after:
        return (1_000, chunks[at].id)
    shared = next((depth for depth, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), None)
    return (min(len(before), len(after)) if shared is None else shared, chunks[at].id)


def _outline(document: Document, chunks: Sequence[Chunk]) -> str:
    """The titles of the outline's highest level that lie around a part. Only those near it, so that an
    edit changes the prompts of its neighbourhood alone."""
    sections = document.content.sections if document.content else ()
    top = min((section.level for section in sections), default=0)
    main = [section for section in sections if section.level == top]
    starts = [section.start for section in main]
    first = bisect_right(starts, chunks[0].span[0]) - 1
    last = bisect_right(starts, chunks[-1].span[0]) - 1
    near = main[max(0, first - _NEIGHBOURS) : last + 1 + _NEIGHBOURS]
    if len(near) < 2:
        return ""
    titles = "; ".join(_as_data(" ".join(section.title.split())[:_TITLE]) for section in near)
    return f"[outline: {titles}]\n"


_TAGS = re.compile(r"<(?=\s*/?\s*(?:document|chunk)\b)", re.IGNORECASE)


def _as_data(text: str) -> str:
    """``text`` without anything that looks like one of our own marks."""
    return _TAGS.sub("‹", text)


def _attribute(title: str) -> str:
    return _as_data(" ".join(title.split()).replace('"', "'"))[:200]


def _clipped(gap: str) -> str:
    if len(gap) <= _LONGEST_GAP:
        return gap
    half = _LONGEST_GAP // 2
    return f"{gap[:half]} … {gap[-half:]}"

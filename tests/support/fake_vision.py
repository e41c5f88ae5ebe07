"""A fake of a vision model: an OpenAI-compatible server on loopback that really reads the picture it gets, by
OCR, and writes it down as the prompt asks; and whatever a model may do wrong, as a test tells it to.

It is no model: what it says of a chart is which number stands over which label, found by colour and place.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import logging
import re
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np
import pymupdf
from fake_openai import Answer, FakeOpenAIServer, count_tokens
from numpy.typing import NDArray

MODEL = "fake-vision-1"
_VALUE = re.compile(r"[$€]?\d[\d.,]*\s?[A-Za-z%]{0,3}")
_MARKER = re.compile(r"^> (\[.*?\])", re.MULTILINE)
_NOT_SHOWN = re.compile(r"NOT-SHOWN-\w+")
_QUESTION = re.compile(r"^Question: (.*)$", re.MULTILINE)
_COLOUR = 60
_AROUND = 0.12


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: the ``prompt``, the ``lines`` that OCR read in its picture, how often this picture was shown
    before (``turn``, from 0), and ``number``, the request's own from 0."""

    prompt: str
    lines: tuple[str, ...]
    turn: int
    number: int

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


Fault = Callable[[Asked, str], Answer | str | None]
"""From what was asked and the right answer to another; None: the right one."""


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    x: float
    y: float
    width: float
    height: float


class FakeVisionServer(FakeOpenAIServer):
    """Use as a context manager. ``asked`` are the requests in the order in which they came; ``fault`` makes
    another answer of the right one."""

    def __init__(self, fault: Fault | None = None) -> None:
        super().__init__()
        self._fault = fault
        self._counting = threading.Lock()
        self._turns: Counter[str] = Counter()
        self.asked: list[Asked] = []
        self.sizes: list[tuple[int, int]] = []

    def _serve(self, handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
        prompt, png = _parts(request["messages"][-1]["content"])
        if png is None:
            self._answer(handler, request, prompt, self._script)
            return
        picture = png
        self._answer(handler, request, prompt, lambda *_: self._seen(prompt, picture, request))

    def _seen(self, prompt: str, png: bytes, request: dict[str, Any]) -> Answer:
        """The answer to a prompt about a picture."""
        lines, size = _read(png)
        with self._counting:
            turn = self._turns[_digest(png)]
            self._turns[_digest(png)] += 1
            asked = Asked(prompt, tuple(line.text for line in lines), turn, len(self.asked))
            self.asked.append(asked)
            self.sizes.append(size)
        right = _looked(prompt, lines, png) if _QUESTION.search(prompt) else _written(prompt, lines, png)
        other = self._fault(asked, right) if self._fault else None
        answer = Answer(other) if isinstance(other, str) else other or Answer(right)
        tokens_in = count_tokens(prompt) + size[0] * size[1] // 1000
        return _within(replace(answer, tokens_in=tokens_in), request.get("max_tokens"))


def _within(answer: Answer, room: int | None) -> Answer:
    """The answer, cut off where its room ends."""
    if room is None or count_tokens(answer.text) <= room:
        return answer
    low, high = 0, len(answer.text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count_tokens(answer.text[:middle]) <= room else (low, middle - 1)
    return replace(answer, text=answer.text[:low], finish="length")


def _parts(content: Any) -> tuple[str, bytes | None]:
    """The prompt and the picture of a message."""
    if isinstance(content, str):
        return content, None
    prompt = "\n".join(part["text"] for part in content if part["type"] == "text")
    for part in content:
        if part["type"] == "image_url":
            return prompt, base64.b64decode(part["image_url"]["url"].partition(";base64,")[2])
    return prompt, None


def _digest(png: bytes) -> str:
    return hashlib.sha256(png).hexdigest()


_READ: dict[str, tuple[tuple[_Line, ...], tuple[int, int]]] = {}
_READING = threading.Lock()


def _read(png: bytes) -> tuple[tuple[_Line, ...], tuple[int, int]]:
    """The lines of a picture by OCR, from the top, and its size; each picture is read once."""
    key = _digest(png)
    with _READING:
        if key not in _READ:
            pixels = _pixels(png)
            _READ[key] = (_ocr(pixels), (pixels.shape[1], pixels.shape[0]))
        return _READ[key]


def _pixels(png: bytes) -> NDArray[np.uint8]:
    pixmap = pymupdf.Pixmap(png)
    if pixmap.alpha or pixmap.n != 3:
        pixmap = pymupdf.Pixmap(pymupdf.csRGB, pixmap)
    return np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3)


@functools.cache
def _engine() -> Any:
    from rapidocr import RapidOCR

    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    quick = {
        "Global.use_cls": False,
        "Det.limit_type": "max",
        "Det.limit_side_len": 736,
        "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    }
    return RapidOCR(params={"Global.log_level": "error", **quick})


def _ocr(pixels: NDArray[np.uint8]) -> tuple[_Line, ...]:
    found = _engine()(np.ascontiguousarray(pixels[:, :, ::-1]))
    if found.boxes is None:
        return ()
    lines = []
    for box, text in zip(found.boxes, found.txts, strict=True):
        (left, top), (right, bottom) = np.min(box, axis=0), np.max(box, axis=0)
        lines.append(
            _Line(
                text,
                float(left + right) / 2,
                float(top + bottom) / 2,
                float(right - left),
                float(bottom - top),
            )
        )
    return tuple(sorted(lines, key=lambda line: (round(line.y / 12), line.x)))


def _figure_of(lines: Sequence[_Line], png: bytes) -> list[_Line]:
    """The lines around coloured ink: a chart's."""
    pixels = _pixels(png).astype(np.int16)
    coloured = np.argwhere(pixels.max(axis=2) - pixels.min(axis=2) > _COLOUR)
    if len(coloured) < 0.01 * pixels.shape[0] * pixels.shape[1]:
        return []
    (top, left), (bottom, right) = coloured.min(axis=0), coloured.max(axis=0)
    margin = _AROUND * (bottom - top) + 20
    return [
        line
        for line in lines
        if top - margin < line.y < bottom + margin and left - margin < line.x < right + margin
    ]


def _values(figure: Sequence[_Line]) -> list[str]:
    """``label: value`` of each number that stands over or under a label."""
    numbers = [line for line in figure if _VALUE.fullmatch(line.text.strip())]
    labels = [line for line in figure if line not in numbers]
    found = []
    for number in sorted(numbers, key=lambda line: line.x):
        near = [label for label in labels if abs(label.x - number.x) < max(number.width, label.width)]
        if near:
            label = max(near, key=lambda line: line.y)
            found.append(f"{label.text}: {number.text}")
    return found


def _written(prompt: str, lines: Sequence[_Line], png: bytes) -> str:
    """The page as Markdown, as the prompt wants it: text, the figure under its marker, the end's mark."""
    figure = _figure_of(lines, png)
    values = _values(figure)
    body = [line.text for line in lines if line not in figure or not values]
    marker = _MARKER.search(prompt)
    if values and marker:
        titles = [
            line.text
            for line in figure
            if len(line.text) > 3 and not any(line.text in value for value in values)
        ]
        body.insert(min(3, len(body)), f"> {marker[1]} Bar chart {', '.join(titles)}. {'; '.join(values)}.")
    end = prompt.strip().splitlines()
    mark = next(line for line in end if re.fullmatch(r"TASK-\w+", line))
    return "\n\n".join([*body, mark]) if body else f"[blank page]\n\n{mark}"


def _looked(prompt: str, lines: Sequence[_Line], png: bytes) -> str:
    """The line, or the value of the chart, with most of the question's words; else that it is not shown."""
    question = _QUESTION.search(prompt)
    assert question
    said = _values(_figure_of(lines, png)) + [line.text for line in lines]
    asked = {
        word for word in re.findall(r"\w+", question[1].casefold()) if len(word) > 3 or word[-1:].isdigit()
    }
    best = max(said, key=lambda text: len(asked & set(re.findall(r"\w+", text.casefold()))), default="")
    if not asked & set(re.findall(r"\w+", best.casefold())):
        found = _NOT_SHOWN.search(prompt)
        assert found
        return found[0]
    return f"{best}."

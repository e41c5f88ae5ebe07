"""A fake of a paid language model for every stage of a build: an OpenAI-compatible server on loopback whose
answers depend on the prompt alone, and which keeps the bill.

It is no model: contexts are stock sentences, summaries one of the passages', and of a passage it names the
abbreviations.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from dataclasses import replace

from fake_openai import Answer, FakeOpenAIServer, Script, count_tokens
from treegraph import Config
from treegraph.indexer.context import ContextSettings
from treegraph.indexer.graph.settings import GraphSettings
from treegraph.indexer.models.settings import LLMSettings
from treegraph.indexer.tree.settings import TreeSettings

MODEL = "fake-paid-1"
PRICES = {"price_in": 100.0, "price_out": 300.0}
_SENTENCES = (
    "The units are started in steps, and each waits for the one before it.",
    "A gate that was opened is shut again before the pump is used.",
    "What a sensor tells is used by the controller of its line.",
    "The drain is checked whenever the pressure was lost.",
)
_ASKED = re.compile(r"for each of the chunks ([\d, ]+) one")
_SENTENCE = re.compile(r"(?<=\s)[A-Z][^.<>]+ [^.<>]*(?:\.\w[^.<>]*)*\.(?=\s)")
_ABBREVIATION = re.compile(r"\b[A-Z]{3}\b")


def by_model(server: FakeOpenAIServer, config: Config, **llm: float) -> Config:
    """``config`` with this model for contexts, summaries, extractions and reports."""
    return by_model_at(server.base_url, config, **llm)


def by_model_at(url: str, config: Config, **llm: float) -> Config:
    """As :func:`by_model`, of a server of another process."""
    return replace(
        config,
        context=ContextSettings(by="model", budget=64),
        tree=TreeSettings(summary="model"),
        graph=GraphSettings(extract="model", report="model"),
        llm=LLMSettings(base_url=url, model=MODEL, **{**PRICES, **llm}),  # type: ignore[arg-type]
    )


def kind_of(prompt: str) -> str:
    """What a prompt asks for: context, summary or extraction."""
    if _ASKED.search(prompt):
        return "context"
    return "extraction" if prompt.startswith("You list") else "summary"


def right_answer(prompt: str) -> str:
    """The answer to a prompt, the same whenever it is asked."""
    kind = kind_of(prompt)
    if kind == "context":
        numbers = _ASKED.search(prompt)
        assert numbers
        return json.dumps({n.strip(): _stock(prompt + n) for n in numbers[1].split(",")})
    if kind == "summary":
        said = _SENTENCE.findall(prompt.partition("<passages>")[2].partition("</passages>")[0]) or _SENTENCES
        return json.dumps({"summary": said[_number(prompt) % len(said)]})
    passage = prompt.rpartition("[section:")[2]
    names = dict.fromkeys(_ABBREVIATION.findall(passage))
    return json.dumps({"entities": [{"name": n, "type": "unit", "description": ""} for n in names]})


def _stock(seed: str) -> str:
    return _SENTENCES[_number(seed) % len(_SENTENCES)]


def _number(seed: str) -> int:
    return hashlib.sha256(seed.encode()).digest()[0]


class PaidServer(FakeOpenAIServer):
    """Use as a context manager. ``calls`` counts the requests by what they asked for, ``money`` is the bill;
    ``answer`` changes the right answer."""

    def __init__(self, answer: Script | None = None) -> None:
        super().__init__(self._paid)
        self._other = answer
        self.calls: Counter[str] = Counter()
        self.money = 0.0

    @property
    def total(self) -> int:
        """All requests so far."""
        return len(self.prompts)

    def _paid(self, prompt: str, number: int) -> Answer:
        answer = self._other(prompt, number) if self._other else Answer(right_answer(prompt))
        cost = count_tokens(prompt) * PRICES["price_in"] + count_tokens(answer.text) * PRICES["price_out"]
        with self._lock:
            self.calls[kind_of(prompt)] += 1
            self.money += cost / 1e6 if answer.status == 200 else 0.0
        return answer

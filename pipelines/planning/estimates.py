"""From what a rehearsal counted to what a build takes: calls, tokens, money, seconds, bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from ...indexer.models.usage import Priced, cost_of
from ..owed import EMBED
from .history import History, StageRates
from .plan import STAGES, StagePlan, StructurePlan
from .rehearsal import Rehearsed
from .tally import Tally

_OUT_OF_ROOM = {
    EMBED: 0.0,
    "context": 0.45,
    "native": 0.15,
    "tree": 0.41,
    "graph": 0.3,
    "graph reports": 0.41,
}
"""The share of its room that an answer takes, where no earlier build says: models stop when they are done."""
_AS_COUNTED = StageRates(tokens_out=0.0, calls_over=1.0, tokens_over=1.0)
"""Of embedding, whose tokens a build estimates just as its rehearsal does."""
_CALL_SECONDS = 1.5
_TOKENS_A_SECOND = 50.0
"""What a hosted model takes for a call: before its first token, and tokens a second from there on."""
_EMBED_SECONDS = {"minilm": 0.018, "multilingual": 0.15, "bge-m3": 0.6}
"""Wall seconds a text of the default chunk size, on two cores."""
_EMBED_OTHER = 0.03
OCR_SECONDS = 1.6
_STORE_SECONDS = 0.0006
_MODEL_BYTES = {"minilm": 110 << 20, "multilingual": 600 << 20, "bge-m3": 2600 << 20}
_OCR_BYTES = 650 << 20
_NATIVE_SECONDS = 4.0
_ROW_OVERHEAD = 1.75
"""What an embedded store takes over the payload and vectors of a row."""
_STORE_BYTES = 1 << 20
"""What an embedded store takes for no row at all."""
AGAIN = 1.05
"""Calls over the answers that are wanted, where no earlier build says: some are asked for a second time."""
_PUBLISH_SECONDS = 0.6
_LOAD_SECONDS = 1.0
"""To load the models, and to seal and publish a generation."""
_ANSWER_BYTES = 4
"""Bytes of the ledger for each token of an answer that is kept."""


class Answering(Priced, Protocol):
    """What is asked of a model: its prices, and how many calls it takes at once."""

    @property
    def concurrency(self) -> int: ...


@dataclass(frozen=True, slots=True)
class EmbeddingPrice:
    """An embedding that is paid for at ``price_in``."""

    price_in: float
    price_out: float = 0.0
    concurrency: int = 1


@dataclass(frozen=True, slots=True)
class Estimator:
    """Makes structures' plans of what was rehearsed. ``models`` are those that answer, by stage; ``embedder``
    names the one that the configuration asks for; ``held`` are the bytes of the vectors of the published
    generation, all of which a new one has again."""

    rehearsed: Rehearsed
    tally: Tally
    known: History
    models: Mapping[str, Answering | None]
    embedder: str
    held: int
    states: Mapping[str, str]

    def structures(self) -> dict[str, StructurePlan]:
        """The plan of each structure."""
        report = self.rehearsed.report
        items = {
            "hybrid": {"chunks": report.chunks, "embedded": report.embedded, "reused": report.reused},
            "tree": {"nodes": report.nodes, "new": self.rehearsed.new_nodes},
            "graph": {
                **{name: getattr(report, name) or 0 for name in ("entities", "relations", "communities")},
                "chunks read": self._chunks_read,
            },
        }
        return {
            name: StructurePlan(
                self.states[name],
                items[name],
                self._stages(name),
                self._seconds(name),
                self._disk(name),
                self._memory(name),
            )
            for name in items
        }

    @property
    def _chunks_read(self) -> int:
        """Chunks whose extraction is not kept."""
        first, last = self.rehearsed.told.get(("graph", "chunks"), (0, 0))
        return max(0, last - first)

    def _stages(self, structure: str) -> dict[str, StagePlan]:
        cached = {name: each["cached"] for name, each in self.rehearsed.report.tokens.items()}
        names = [stage for stage, of in STAGES.items() if of == structure]
        return {
            name: self._stage(name, cached.get(name, 0))
            for name in names
            if self.tally.asked[name].calls or cached.get(name, 0)
        }

    def _stage(self, name: str, cached: int) -> StagePlan:
        asked, model = self.tally.asked[name], self.models.get(name)
        rates = _AS_COUNTED if name == EMBED else self.known.of(name)
        again = rates.calls_over or AGAIN
        calls = round(asked.calls * again)
        tokens_in = round(asked.tokens * (rates.tokens_over or 1.0))  # our count is high by about as much
        answer = _OUT_OF_ROOM[name] * asked.room / asked.calls if asked.calls else 0.0
        out = calls * (answer if rates.tokens_out is None else rates.tokens_out)
        return StagePlan(
            calls,
            cached,
            tokens_in,
            round(out),
            _price(model, calls, tokens_in, out),
            asked.calls,
            asked.tokens,
        )

    def _seconds(self, structure: str) -> float:
        """Wall seconds of a structure: what the rehearsal took for all that it did, with what models take."""
        took = self.rehearsed.report.seconds
        asking = sum(self._call_seconds(name) for name, of in STAGES.items() if of == structure)
        if structure != "hybrid":
            new = self.rehearsed.new_nodes if structure == "tree" else 0
            return took.get(structure, 0.0) + new * (self.embed_seconds + _STORE_SECONDS) + asking
        rows = self.rehearsed.report.embedded
        reading = sum(took.get(name, 0.0) for name in ("load", "chunk", "ocr", "native"))
        beside = rows * self.embed_seconds + took.get("sparse", 0.0)
        once = _PUBLISH_SECONDS + _LOAD_SECONDS if "publish" in took else 0.0
        return max(reading + self._ocr_seconds + asking, beside) + rows * _STORE_SECONDS + once

    @property
    def embed_seconds(self) -> float:
        """Wall seconds of embedding one text."""
        kind = self.embedder.partition(":")[0]
        return self.known.embed or _EMBED_SECONDS.get(kind, _EMBED_OTHER)

    @property
    def _ocr_seconds(self) -> float:
        return self.tally.asked["ocr"].calls * (self.known.ocr or OCR_SECONDS)

    def _call_seconds(self, stage: str) -> float:
        """Wall seconds that the calls of a stage take."""
        asked, rates, model = self.tally.asked[stage], self.known.of(stage), self.models.get(stage)
        if model is None or not asked.calls or stage == EMBED:  # whose seconds are counted by the text
            return 0.0
        if rates.seconds is not None:
            return asked.calls * rates.seconds
        answer = asked.room * _OUT_OF_ROOM[stage] / asked.calls / _TOKENS_A_SECOND
        return asked.calls * (_CALL_SECONDS + answer) / model.concurrency

    def _disk(self, structure: str) -> int:
        """Bytes that are added to the index."""
        sizes, report = self.rehearsed.sizes, self.rehearsed.report
        rows = report.embedded + report.reused + self.rehearsed.new_nodes
        answers = sum(
            round(self._stage(name, 0).tokens_out * _ANSWER_BYTES)
            for name, of in STAGES.items()
            if of == structure
        )
        if structure == "graph":
            return sizes["graph"] + answers
        if structure == "tree":
            share = self.rehearsed.new_nodes / rows if rows else 0.0
            return round(sizes["leaves"] + sizes["vectors"] * _ROW_OVERHEAD * share) + answers
        share = 1 - (self.rehearsed.new_nodes / rows if rows else 0.0)
        vectors = sizes["vectors"] * _ROW_OVERHEAD * share
        whole = (self.held or _STORE_BYTES) if sizes["vectors"] else 0
        return round(vectors + whole + sizes["ledger"]) + answers

    def _memory(self, structure: str) -> int:
        """The most bytes while a structure is made: those of the rehearsal, with the models'."""
        peak = self.rehearsed.peaks[structure]
        if not peak:
            return 0
        kind = self.embedder.partition(":")[0]
        ocr = _OCR_BYTES if structure == "hybrid" and self.tally.asked["ocr"].calls else 0
        return peak + (_MODEL_BYTES.get(kind, 0) if self.tally.embedded else 0) + ocr


def _price(model: Priced | None, calls: int, tokens_in: float, tokens_out: float) -> float | None:
    """What calls cost; None where there are some and the model's prices are not known."""
    if not calls:
        return 0.0
    if model is None or not (model.price_in or model.price_out):
        return None
    return cost_of(model, tokens_in, tokens_out)

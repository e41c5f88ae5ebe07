"""What is measured of answers, and with what each configuration of a grid is asked."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ....indexer.digests import digest
from ....indexer.errors import ConfigurationError
from ....indexer.models.settings import LLMSettings
from ...config import Config
from ..grid import Variant
from ..grid_axes import EXTRACT, WRITTEN
from ..questions import Part
from .asking import Answering
from .judging import Judge
from .matching import gold_answers


@dataclass(frozen=True, slots=True)
class AnswerMeasuring:
    """``withhold`` questions a part are also asked without their own documents, ``budget`` tokens of
    evidence are gathered (None: the setting's), ``judge`` rates what the set has an answer to."""

    withhold: int = 0
    budget: int | None = None
    judge: Judge | None = None

    def asked(self, part: Part, seed: int) -> str:
        """A digest of all that is asked and counted beside the questions and their gold places."""
        gold = [gold_answers(question.fields) for question in part.questions]
        judge = self.judge.name if self.judge else None
        return digest(["answers", gold, sorted(self.withheld(part, seed)), self.budget, judge])

    def withheld(self, part: Part, seed: int) -> frozenset[str]:
        """The questions that are asked again without their documents, drawn by ``seed``."""
        every = sorted(question.id for question in part.questions)
        return frozenset(random.Random(seed).sample(every, min(self.withhold, len(every))))

    def answering(self, part: Part, variant: Variant, seed: int, count: Callable[[str], int]) -> Answering:
        """How the questions of ``part`` are asked under ``variant``, one of :func:`with_modes`."""
        mode = str(variant.ask)
        return Answering(mode, variant.route, self.budget, count, self.withheld(part, seed), self.judge)


def with_modes(variants: Sequence[Variant], llm: bool, answers: bool) -> list[Variant]:
    """``variants``, each with how it answers: as its grid says, else by the model that it has (``llm``: one
    was handed in), else by extracts. Raises ConfigurationError where answers are not measured and a grid
    is over them."""
    if not answers:
        if any(variant.ask for variant in variants):
            raise ConfigurationError("--compare ask=... compares answers: add --answers")
        return list(variants)
    return [
        replace(variant, ask=variant.ask or (WRITTEN[0] if llm or variant.config.llm.model else EXTRACT))
        for variant in variants
    ]


def answering_config(variant: Variant, llm: Any) -> tuple[Config, Any]:
    """The configuration and the model that a variant's questions are answered with: none for an extract. An
    answer's search knows no flag for the reranker, so what is not to be used is not configured."""
    config = variant.config
    if variant.rerank is False:
        config = replace(config, rerank=replace(config.rerank, model=""))
    if variant.ask == EXTRACT:
        return replace(config, llm=LLMSettings()), None
    return config, llm

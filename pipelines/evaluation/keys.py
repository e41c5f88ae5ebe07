"""Digests that say when two results are of the same thing: what was asked, and what decides the answers."""

from __future__ import annotations

from dataclasses import asdict

from ...indexer.digests import digest
from ...query.index import Index
from ..code_version import code_digest
from .grid import Variant
from .indexes import BuiltIndex, GivenModels
from .questions import Part


def asked_digest(part: Part, depth: int, budget: int, titles: bool) -> str:
    """What is asked and counted: the questions and their gold, places left out, ``depth`` hits of which
    ``budget`` tokens are evidence, and whether ``titles`` stand in the index."""
    questions = [
        [question.id, question.text, dict(question.gold), sorted(question.taken_from)]
        for question in part.questions
    ]
    return digest([part.unit, sorted(part.left_out), questions, depth, budget, titles])


def answers_key(asked: str, variant: Variant, built: BuiltIndex, index: Index, models: GivenModels) -> str:
    """Everything that decides the answers: what is ``asked``, the index, the settings, the models, the code.

    An index that was made anew has the generation number of the one before: the time tells them apart.
    """
    settings = [
        asdict(variant.config.search),
        asdict(variant.config.tree_read),
        asdict(variant.config.graph_read),
        asdict(variant.config.router),
        asdict(variant.config.rerank),
        asdict(variant.config.answer),
        [variant.config.llm.model, variant.config.llm.base_url],
        variant.route,
        variant.rerank,
        variant.ask,
    ]
    status = index.status()
    held = [built.key, index.generation, status.get("built"), status.get("models")]
    return digest([asked, settings, held, models.names, code_digest("query", "pipelines/evaluation")])

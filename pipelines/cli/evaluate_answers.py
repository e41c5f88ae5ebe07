"""What ``treegraph eval --answers`` measures, from its options."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...indexer.errors import ConfigurationError
from ...indexer.models import load_llm
from ..evaluation.answers.judging import Judge
from ..evaluation.answers.measuring import AnswerMeasuring
from ..paid_models import PaidModel
from .evaluate_options import Wanted
from .flags import split_model

if TYPE_CHECKING:
    from ..config import Config


def answer_measuring(wanted: Wanted, config: Config) -> AnswerMeasuring | None:
    """What is measured of answers; None where hits are measured. Raises ConfigurationError for an option
    that needs --answers, and ModelUnavailable."""
    if not wanted.answers:
        alone = [name for name in ("withhold", "judge") if getattr(wanted, name)]
        if alone:
            raise ConfigurationError(f"--{alone[0]} measures answers: add --answers")
        return None
    return AnswerMeasuring(wanted.withhold or 0, wanted.budget, _judge(wanted, config))


def _judge(wanted: Wanted, config: Config) -> Judge | None:
    """The judge, reached as the model of [llm] is, but for its name and address. Raises ConfigurationError
    under a cap on money: what it costs is not known."""
    named, spending = wanted.judge, wanted.spending
    if named is None:
        return None
    if spending is not None and spending.caps.cost is not None:
        raise ConfigurationError("--max-cost knows no price of --judge: use --max-calls or --max-seconds")
    model, url = split_model(named, "--judge")
    llm = load_llm(replace(config.llm, model=model, base_url=url, price_in=0.0, price_out=0.0))
    if llm is None:
        return None
    return Judge(llm if spending is None else PaidModel(llm, spending))

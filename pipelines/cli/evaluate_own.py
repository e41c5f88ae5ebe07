"""Makes the questions of ``treegraph eval own``, and writes what was made where nothing is measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from ...indexer.errors import ConfigurationError
from ...indexer.stores.ledger import Ledger
from ...indexer.stores.ledger_runs import LedgerCallCache
from ..evaluation.capped import require_room
from ..evaluation.own import KINDS, WRITTEN, own_questions
from ..loading_models import Models
from .common import Common
from .evaluate_options import Wanted
from .interrupt import cancelled_by_interrupt
from .output import emit, one_line, say
from .progress import progress

if TYPE_CHECKING:
    from ..config import Config
    from ..evaluation.questions import EvaluationSet


def make_questions(
    common: Common, wanted: Wanted, config: Config, sources: Sequence[str], kinds: str | None, per_kind: int
) -> EvaluationSet:
    """The questions that ``sources`` give. Calls of a model are remembered in the work folder. Raises
    WorkError at a cap: fewer questions would be another set."""
    models = Models(config, spending=wanted.spending)
    models.check_paid(answering=True)
    llm = models.llm()
    chosen = _kinds(kinds, written=llm is not None)
    calls = wanted.work_folder / "calls"
    calls.mkdir(parents=True, exist_ok=True)
    with (
        cancelled_by_interrupt(common) as cancel,
        progress("making questions", common.quiet) as on_event,
        closing(Ledger(calls, create=True)) as ledger,
    ):
        made = own_questions(
            sources,
            config,
            chosen,
            seed=wanted.seed,
            per_kind=per_kind,
            llm=llm,
            cache=LedgerCallCache(ledger),
            on_event=on_event,
            cancel=cancel,
        )
    require_room(wanted.spending, "making questions", wanted.work_folder)
    return made


def questions_only(common: Common, made: EvaluationSet, saved: Path | None) -> int:
    """Say what was made."""
    counts = Counter(str(question.fields.get("type")) for part in made.parts for question in part.questions)
    if common.json:
        questions = {"questions": dict(counts), "saved": str(saved) if saved else None}
        emit(
            {"set": made.name, "rows": [], "differences": [], "left_out": {}, "notes": list(made.notes)}
            | questions
        )
    else:
        lines = [f"{count:6,}  {kind}" for kind, count in counts.items()] or ["no questions"]
        lines += [f"note: {one_line(text)}" for text in made.notes]
        say("\n".join(lines + ([f"written to {saved}"] if saved else [])))
    return 0


def _kinds(text: str | None, written: bool) -> tuple[str, ...]:
    known = (*KINDS, WRITTEN)
    if text is None:
        return known if written else KINDS
    chosen = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    unknown = [kind for kind in chosen if kind not in known]
    if unknown or not chosen:
        raise ConfigurationError(f"--questions {text!r}: expected some of {', '.join(known)}")
    if WRITTEN in chosen and not written:
        raise ConfigurationError(f"--questions {WRITTEN} needs a language model: --llm MODEL@URL, or [llm]")
    return chosen

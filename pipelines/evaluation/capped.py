"""Evaluations under caps on paid work: at one they stop, since answers of two kinds would not compare."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...indexer.errors import WorkError
from ...query.index import Index
from ..spending import Spending
from .asking import Asker
from .outcomes import Answered
from .questions import Part, Question


def require_room(spending: Spending | None, doing: str, kept: Path) -> None:
    """Raises WorkError once a call was left out for a cap: what came of it is not what is measured."""
    if spending is not None and spending.refused:
        raise WorkError(
            f"stopped at a cap, {doing}: {spending.why}. What was built and measured until then is kept in "
            f"{kept}; the same command goes on from there, with a cap of its own"
        )


@dataclass(slots=True)
class CappedAsker:
    """Asks as ``asker`` does, until the first call that a cap left no room for."""

    asker: Asker
    spending: Spending
    kept: Path
    asked: int = 0

    @property
    def warming(self) -> int:
        """None: what warms up is paid for."""
        return 0

    def ask(self, index: Index, part: Part, question: Question) -> Answered:
        """See :class:`.asking.Asker`. Raises WorkError at a cap."""
        answered = self.asker.ask(index, part, question)
        require_room(self.spending, f"after {self.asked:,} questions of {part.name} in this run", self.kept)
        self.asked += 1
        return answered

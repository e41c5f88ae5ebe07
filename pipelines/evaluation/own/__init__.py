"""Questions made from the user's own documents, most of them without a model.

Each kind is a function from one document to questions, in a file of its own; :mod:`.gathering` asks every
kind of every document and samples, :mod:`.composing` makes a set of it.
"""

from __future__ import annotations

from .composing import WRITTEN, own_questions
from .gathering import KINDS

__all__ = ["KINDS", "WRITTEN", "own_questions"]

"""How surely a passage bears on a question, on a scale that means the same for every question.

A fused score orders one list and says nothing about another: the best of a hopeless list scores as
high as the best of a good one. So this is a logistic regression over features that are absolute: the
cosine, the shares (by IDF) of the question's words and of its word pairs that stand in the passage, and
how well a heading there fits the question.

It was fitted with the default models on four public sets (code, encyclopaedia questions over two to four
passages, scientific claims, Chinese questions), each counting the same: passages that answer (the best
of the first five hits) against the first hit of the same questions with every document that answers them
taken out. A half means as likely as not in such an even mixture. On manuals and financial reports, which
were not used in fitting, the best of five hits tells questions that the index can answer from those
whose document is missing with an AUROC of .80, where three of fifteen documents are near duplicates of
others; the cosine alone reaches .70.
"""

from __future__ import annotations

from math import exp

from .phrases import Match

INTERCEPT = -2.76
COSINE = 2.35
TERMS = 2.93
PAIRS = 1.16
HEADING = 1.57


def relevance(cosine: float, match: Match) -> float:
    """How surely a passage answers its question, in 0..1.

    ``cosine`` is that of the embeddings, ``match`` what stands in the passage of the question's words.
    """
    evidence = COSINE * max(cosine, 0.0) + TERMS * match.terms + PAIRS * match.pairs + HEADING * match.heading
    return 1 / (1 + exp(-(INTERCEPT + evidence)))

"""What of a plan was estimated, and how, in a line each."""

from __future__ import annotations

from collections.abc import Sequence

from .estimates import AGAIN, OCR_SECONDS, Estimator


def told(estimator: Estimator, sketched: int, semantic: bool) -> Sequence[str]:
    """The lines. ``sketched`` pages were not drawn; ``semantic`` says that chunks are cut by vectors."""
    return [*_tokens(estimator), *_seconds(estimator), *_shapes(estimator, sketched, semantic)]


def _tokens(estimator: Estimator) -> list[str]:
    lines = []
    for name, asked in sorted(estimator.tally.asked.items()):
        if not asked.calls or name == "ocr":
            continue
        rates = estimator.known.of(name)
        counted = "as counted here, which is rather too many"
        if rates.tokens_over:
            counted = f"as counted here, times {rates.tokens_over:.2f} as earlier builds came to"
        again = rates.calls_over or AGAIN
        out = "as long as in earlier builds" if rates.tokens_out is not None else "of a usual length"
        lines.append(
            f"calls for {name}: times {again:.2f} for second tries; prompts {counted}; answers {out}"
        )
    return lines


def _seconds(estimator: Estimator) -> list[str]:
    report, asked = estimator.rehearsed.report, estimator.tally.asked
    lines = []
    if report.embedded or estimator.rehearsed.new_nodes:
        counted = f"{estimator.tally.tokens_embedded:,} as counted here, which is rather too many"
        lines.append(f"tokens of embedding: {counted}")
        by = "as in earlier builds" if estimator.known.embed else f"as is usual for {estimator.embedder}"
        lines.append(f"seconds of embedding: {estimator.embed_seconds:.3f} a text, {by}")
    if asked["ocr"].calls:
        by = "as in earlier builds" if estimator.known.ocr else "as is usual on two cores"
        lines.append(f"seconds of OCR: {estimator.known.ocr or OCR_SECONDS:.1f} a page, {by}")
    return lines


def _shapes(estimator: Estimator, sketched: int, semantic: bool) -> list[str]:
    asked = estimator.tally.asked
    lines = []
    if asked["ocr"].calls or asked["native"].calls:
        lines.append(
            "pages not read yet: their text is guessed from its usual length, and all that rests on it"
        )
    if sketched:
        lines.append(f"size of {sketched:,} pages: taken to be that of others of their documents, not drawn")
    if estimator.tally.hashed:
        lines.append(
            "vectors: from the words that texts share, not by the model; the tree may come out otherwise"
        )
    if asked["graph"].calls:
        lines.append("communities: over the names that patterns find, where a model would find others")
    if semantic:
        lines.append('chunks: [chunk] by = "semantic" cuts by the model\'s vectors, here by shared words')
    return lines

"""One page of one manual changed: the edit after which a build should do next to nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...indexer.errors import ConfigurationError

SENTENCE = "This page was changed: the limit is now 47 volts."
_TEXTS = (".md", ".markdown", ".txt", ".rst")


def choose(copies: Mapping[str, Path], wanted: str | None) -> str | None:
    """The source to change: ``wanted`` (a source, or the end of one), else the PDF of middling size, else
    such a text. None where there is neither. Raises ConfigurationError for an unknown name."""
    if wanted is not None:
        fitting = [source for source in sorted(copies) if f"/{source}".endswith(f"/{wanted}")]
        if not fitting or copies[fitting[0]].suffix.lower() not in (".pdf", *_TEXTS):
            raise ConfigurationError(f"no PDF or text among the sources is named {wanted!r}")
        return fitting[0]
    for endings in ((".pdf",), _TEXTS):
        fitting = [source for source, path in copies.items() if path.suffix.lower() in endings]
        if fitting:
            fitting.sort(key=lambda source: (copies[source].stat().st_size, source))
            return fitting[len(fitting) // 2]
    return None


def change(path: Path) -> str:
    """Write a sentence into the middle of a copied document; says where."""
    return _change_pdf(path) if path.suffix.lower() == ".pdf" else _change_text(path)


def _change_pdf(path: Path) -> str:
    import pymupdf

    changed = path.with_suffix(".changed")
    with pymupdf.open(path) as pdf:  # type: ignore[no-untyped-call]
        number = len(pdf) // 2
        pdf[number].insert_text((72, 72), SENTENCE)
        pdf.save(changed)
        pages = len(pdf)
    changed.replace(path)
    return f"page {number + 1} of {pages}"


def _change_text(path: Path) -> str:
    lines = path.read_text("utf-8", errors="surrogateescape").splitlines(keepends=True)
    middle = len(lines) // 2
    lines.insert(middle, f"\n{SENTENCE}\n\n")
    changed = path.with_suffix(".changed")
    changed.write_text("".join(lines), "utf-8", errors="surrogateescape")
    changed.replace(path)
    return f"before line {middle + 1} of {len(lines) - 1}"

"""The reader of page pictures by its settings. What it needs is imported only when it is loaded."""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ..digests import digest
from .ports import PageReader
from .settings import OcrSettings


def load_ocr(settings: OcrSettings) -> PageReader:
    """The engine that reads pictures of pages; nothing is downloaded.

    Raises ModelUnavailable where the extra ``ocr`` is not installed or a model file is missing, and
    UnsupportedScript for a language that none of the models reads.
    """
    from .ocr_models import check_installed, shipped_detector

    check_installed()
    from .ocr_boxes import Detector
    from .ocr_lines import Recogniser
    from .ocr_rapid import RapidReader
    from .ocr_scripts import needs_ideographs, recognisers
    from .onnx_session import usable_threads

    files = recognisers(settings.languages, settings.models)
    return RapidReader(
        Detector(shipped_detector(), settings.side),
        [Recogniser(file, plain=not needs_ideographs(settings.languages, file)) for file in files],
        settings.min_confidence,
        usable_threads(settings.threads),
    )


def ocr_stamp(settings: OcrSettings) -> str:
    """By what pages would be read, without loading it: the engine's version, the settings that matter and the
    user's model files as they are on this disk; empty where the extra ``ocr`` is not installed."""
    try:
        engine = version("rapidocr")
    except PackageNotFoundError:
        return ""
    kept = {name: value for name, value in asdict(settings).items() if name != "threads"}
    files = [[path, *_state(Path(path))] for path in sorted(settings.models.values())]
    return f"rapidocr {engine} {digest([repr(sorted(kept.items())), files])}"


def _state(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_size, found.st_mtime_ns

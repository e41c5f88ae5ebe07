"""The reader of page pictures by its settings. What it needs is imported only when it is loaded."""

from __future__ import annotations

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
    from .ocr_scripts import recognisers
    from .onnx_session import usable_threads

    files = recognisers(settings.languages, settings.models)
    return RapidReader(
        Detector(shipped_detector(), settings.side),
        [Recogniser(file) for file in files],
        settings.min_confidence,
        usable_threads(settings.threads),
    )

"""Pages of files drawn as a build draws them, for what reads pictures."""

from __future__ import annotations

from pathlib import Path

from treegraph.indexer.loaders import LoadSettings
from treegraph.indexer.loaders.page_image import draw_page
from treegraph.indexer.models import load_vision
from treegraph.indexer.models.ports import VisionModel
from treegraph.indexer.models.settings import VisionSettings
from treegraph.indexer.pages import PageImage

DPI = 150


def drawn(path: Path, number: int = 1, dpi: float = DPI) -> PageImage:
    """A page of a PDF, with its text layer."""
    return draw_page(path, "application/pdf", number, dpi, LoadSettings())


def seeing(url: str, **settings: float) -> VisionModel:
    """The model behind a URL."""
    model = load_vision(VisionSettings(base_url=url, model="fake-vision-1", **settings))  # type: ignore[arg-type]
    assert model is not None
    return model

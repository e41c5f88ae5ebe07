"""What reads pages from their pictures in a build, and which documents a change of it touches."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..indexer.digests import digest
from ..indexer.errors import ConfigurationError
from ..indexer.pages import Origin
from .config import Config
from .loading_models import Models
from .owed_files import owed_of, standing, with_owed

if TYPE_CHECKING:
    from ..indexer.loaders.settings import LoadSettings
    from ..indexer.models.ports import PageReader

_MARK = "|"


@dataclass(frozen=True, slots=True)
class Eye:
    """A reader of pictures, and the pictures that it is given: drawn at ``dpi``, or at less where they would
    hold more than ``max_pixels`` (None: than any page may)."""

    way: Origin
    reader: PageReader
    dpi: float
    max_pixels: int | None = None


class PageReaders:
    """What is at hand to read pages with, each loaded when the first page needs it.

    A file's recipe ends with the ways that its pages are open to and, of those that the mode takes, by what
    they are read; and with what is owed of it (see :mod:`.owed_files`). So a file is read again when that
    changes or can be done, and no other is.
    """

    def __init__(self, config: Config, models: Models) -> None:
        self._config = config
        self._models = models
        self._eyes: dict[Origin, Eye | None] = {"text": None}
        self._digests: dict[str, str] = {}

    def check(self) -> None:
        """Raises ConfigurationError where the mode asks for a way in which nothing reads: of pages that were
        to be seen by a model, OCR would make others without a word."""
        mode = self._config.load.pdf
        if mode == "native" and not self._models.vision_asked:
            raise ConfigurationError(
                'pages are to be read natively (--pdf native, or [load] pdf = "native") and no model that '
                "sees is configured: give --vision MODEL@URL (vision=), set [vision], or take --pdf auto"
            )
        if mode == "ocr" and not self._models.ocr_asked:
            raise ConfigurationError(
                'pages are to be read by OCR (--pdf ocr, or [load] pdf = "ocr") and it is not installed: '
                "pip install 'treegraph[ocr]', or take --pdf auto"
            )

    @property
    def settings(self) -> LoadSettings:
        """How files are loaded, with what is at hand."""
        ocr, native = bool(self._models.ocr_asked), bool(self._models.vision_asked)
        return replace(self._config.load, ocr=ocr, native=native)

    @property
    def asked(self) -> str:
        """In which mode and by what pages are read: what failed under another may not fail again."""
        return digest([self._config.load.pdf, self._native_asked, self._models.ocr_asked])

    def eye(self, way: Origin) -> Eye | None:
        """What reads in a way, None where nothing does. Raises ModelUnavailable and ConfigurationError."""
        if way not in self._eyes:
            self._eyes[way] = self._ocr() if way == "ocr" else self._native()
        return self._eyes[way]

    def _ocr(self) -> Eye | None:
        reader = self._models.ocr()
        return Eye("ocr", reader, self._config.ocr.dpi) if reader is not None else None

    def _native(self) -> Eye | None:
        reader = self._models.page_reader()
        vision = self._config.vision
        return Eye("native", reader, vision.dpi, vision.max_pixels) if reader is not None else None

    def recipe(self, shared: str, open_to: Collection[Origin] | None, owed: Mapping[str, int]) -> str:
        """The recipe of a file that is read under the recipe ``shared``: ``open_to`` are the ways that its
        pages are open to, None for a format without any; ``owed`` counts what is still to be done better, by
        stage."""
        if open_to is None:
            return with_owed(shared, owed)
        ways = "".join(sorted(way[0] for way in open_to))
        return with_owed(f"{shared}{_MARK}{ways}{_MARK}{self._taken(ways)}", owed)

    def stands(self, held: str, shared: str) -> bool:
        """Whether a file that was read under the recipe ``held`` would be read the same today, under
        ``shared``: what is owed of it counts where it can be done."""
        if any(self._can_do(stage) for stage in owed_of(held)):
            return False
        held = standing(held)
        base, mark, rest = held.partition(_MARK)
        if not mark:
            return held == shared
        ways = rest.partition(_MARK)[0]
        return base == shared and held == f"{shared}{_MARK}{ways}{_MARK}{self._taken(ways)}"

    def _can_do(self, stage: str) -> bool:
        """Whether what a stage owes may be had now: of OCR always, of models as long as they are paid."""
        payments = self._models.payments
        return {"ocr": True, "native": payments.open, "embed": payments.open}.get(stage, payments.may_pay)

    def _taken(self, ways: str) -> str:
        """By what pages open to ``ways`` are read: a digest, empty for their text layers alone."""
        if ways not in self._digests:
            used = self._used(ways)
            self._digests[ways] = digest(used)[:16] if any(used) else ""
        return self._digests[ways]

    def _used(self, ways: str) -> list[str]:
        mode = self._config.load.pdf
        if mode == "text" or (mode == "auto" and not ways):
            return []
        if mode == "auto":
            return [self._native_asked if "n" in ways else "", self._models.ocr_asked if "o" in ways else ""]
        return [mode, self._native_asked if mode == "native" else "", self._models.ocr_asked]

    @property
    def _native_asked(self) -> str:
        """What would read natively, without loading it: the model, its prompt and what it is shown."""
        if not self._models.vision_asked:
            return ""
        from ..indexer.prompts import load_prompt
        from ..indexer.vision.reply import CHECKS

        vision = self._config.vision
        shown = (vision.dpi, vision.max_pixels, vision.tokens)
        return repr((self._models.vision_asked, load_prompt("read_page").version, CHECKS, *shown))

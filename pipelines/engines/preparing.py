"""What prepares files, put together the same way wherever it runs."""

from __future__ import annotations

from ...indexer.loaders.child import ParserPool
from ..editing import EditedReader
from ..image_keeping import Images
from ..intake import FileReader
from ..page_reading import PagePictures
from ..preparation import FilePreparer, Reader
from ..situating import FileSituating, Situating
from ..stage_clock import StageClock
from .engine import FileTerms


def file_preparer(
    terms: FileTerms,
    situating: Situating,
    pictures: PagePictures,
    pool: ParserPool,
    images: Images | None,
    clock: StageClock,
) -> FilePreparer:
    """What prepares files on these ``terms`` with these parts, for the configuration and under the redaction
    of ``situating``."""
    reader: Reader = FileReader(situating.config, pool, pictures, images, situating.redactor)
    if terms.edit is not None:
        reader = EditedReader(reader, terms.edit)
    situate = FileSituating(situating, terms.index_id, terms.moved)
    return FilePreparer(reader, situate, clock, situating.cancel)

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
from .engine import FilesAsked


def file_preparer(
    files: FilesAsked,
    situating: Situating,
    pictures: PagePictures,
    pool: ParserPool,
    images: Images | None,
    clock: StageClock,
) -> FilePreparer:
    """What prepares ``files`` with these parts, for the configuration and under the redaction of
    ``situating``."""
    reader: Reader = FileReader(situating.config, pool, pictures, images, situating.redactor)
    if files.edit is not None:
        reader = EditedReader(reader, files.edit)
    situate = FileSituating(situating, files.index_id, files.moved)
    return FilePreparer(reader, situate, clock, situating.cancel)

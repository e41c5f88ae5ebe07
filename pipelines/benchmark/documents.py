"""The documents behind a benchmark: copies that may be changed, and the chunks that a build makes of them."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...indexer.errors import SourceUnreadable
from ...indexer.models.call_cache import MemoryCallCache
from ...indexer.sources import SourceFile, Walk, parse_roots, walk
from ...indexer.sources_names import unescape_name
from ..config import Config
from ..intake import FileReader
from ..loading_models import Models
from ..preparation import FileOrder, FilePreparer, Prepared, smallest_first
from ..reading_ahead import ReadingAhead
from ..recipe import limits_digest, recipes
from ..situating import FileSituating, Situating
from ..stage_clock import StageClock
from ..survey import Surveyor

_NO_INDEX = "00000000-0000-0000-0000-000000000000"
_YOUNG_NS = 60_000_000_000


def found(sources: Sequence[str], config: Config) -> Walk:
    """The files of ``sources``. Raises SourceUnreadable where there is none."""
    files = walk(parse_roots(sources), config.ignore)
    if not files.files:
        raise SourceUnreadable(f"nothing to read in {', '.join(sources)}")
    return files


def copy_sources(sources: Sequence[str], config: Config, to: Path) -> tuple[list[str], dict[str, Path]]:
    """Copy the files of ``sources`` below ``to``; their sources stay as they are.

    Returns the copies as sources of a build, and by source the path of every copy.
    """
    roots = parse_roots(sources)
    places = {root.name: to / str(number) / root.path.name for number, root in enumerate(roots)}
    copies: dict[str, Path] = {}
    for file in found(sources, config).files:
        copies[file.source] = _copy(file, places[file.root])
    return [f"{name}={place}" for name, place in places.items() if place.exists()], copies


def prepared(
    sources: Sequence[str], config: Config, models: Models, cancel: threading.Event
) -> Iterator[Prepared]:
    """Every document with its chunks and their contexts, as a build makes them, in its order.

    What cannot be read is left out, as the build leaves it out. Raises Cancelled.
    """
    from ...indexer.loaders.child import ParserPool
    from ...indexer.models.tokenizer import load_tokenizer

    tokenizer = load_tokenizer(config.chunk.tokenizer)
    situating = Situating(config, tokenizer, models, MemoryCallCache(), cancel)
    changes = Surveyor(recipes(config), limits_digest(config), cancel=cancel).survey(
        parse_roots(sources), found(sources, config), {}, {}
    )
    with ParserPool(config.load) as pool:
        situate = FileSituating(situating, _NO_INDEX)
        preparer = FilePreparer(FileReader(config, pool), situate, StageClock(), cancel)
        ahead = ReadingAhead(preparer, cancel, pool.close)
        for item in ahead.run(map(FileOrder, smallest_first(changes.changes))):
            if isinstance(item, Prepared):
                yield item


def _copy(file: SourceFile, place: Path) -> Path:
    """Copy a file, with its sidecar and the texts of its records, and with their times.

    One that was written just now is made to look older: a clock that young proves nothing, and the same
    build again would read the file to see that it is the same.
    """
    inside = file.source.removeprefix(file.root).lstrip("/")
    target = place / unescape_name(inside) if inside else place
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(file.path, target)
    if time.time_ns() - file.mtime_ns < _YOUNG_NS:
        os.utime(target, ns=(file.mtime_ns - _YOUNG_NS, file.mtime_ns - _YOUNG_NS))
    for beside in (file.sidecar, file.companion.path if file.companion else None):
        if beside is not None:
            shutil.copy2(beside, target.parent / beside.name)
    return target

"""``treegraph show``: the pages that a passage stands on, as pictures with the passage marked."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...indexer.errors import ConfigurationError, WorkError
from ...indexer.loaders import media
from .common import Common, command
from .output import emit, note, say
from .search import parse_labels

if TYPE_CHECKING:
    from ...query.showing import MarkedPage

_ODD = re.compile(r"[^\w.-]+")


@command("show", short_help="The page of a passage as a picture, with the passage marked.")
@click.argument("id", metavar="HIT")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Where to write it, or a folder."
)
@click.option(
    "--dpi", type=click.FloatRange(20, 600), default=120.0, show_default=True, help="How large it is drawn."
)
@click.option("--labels", metavar="a,b", help='As a reader with these labels; "" is the public.')
def show(common: Common, id: str, output: Path | None, dpi: float, labels: str | None) -> int:
    """Write the page that HIT stands on as a PNG, with the passage marked.

    HIT is the id of a chunk, of a node or a community (the passage that says most of what it says), of a
    document (its first page), or SOURCE@FIRST-LAST for pages. -o is a folder that exists, or a file that ends
    in .png; of several pages the first is that file, and each other one has its page's number in its name:
    gate.png, gate-3.png. Without -o they are named after source and page, pump.pdf's second page pump-2.png,
    and written here. The pages are drawn from the source file, which must still be what was read.
    """
    config = common.effective().config
    if output is not None:
        _check(output)
    from ..opening import open_index

    with open_index(common.index_path, config=config) as index:
        pages = index.show(id, labels=parse_labels(labels), dpi=dpi)
    paths = _written(pages, output)
    if common.json:
        found = [{**page.to_json(), "path": str(path)} for page, path in zip(pages, paths, strict=True)]
        emit({"id": id, "pages": found})
        return 0
    for page, path in zip(pages, paths, strict=True):
        say(f"{path}: page {page.number} of {page.source}" if sys.stdout.isatty() else str(path))
    if not common.quiet and "@" not in id and not any(page.boxes for page in pages):
        note("treegraph: where it stands on its page is not known, so that nothing is marked")
    return 0


def _check(output: Path) -> None:
    """Raises ConfigurationError for what is neither a folder nor the name of a picture."""
    if output.is_dir() or (output.exists() and not output.is_file()):
        return
    if output.suffix.lower() != ".png":
        raise ConfigurationError(
            f"-o {output} is neither a folder that exists nor a file that ends in .png: make the folder "
            f"first, or name a file, as in {output.with_name(output.name + '.png')}"
        )


def _written(pages: Sequence[MarkedPage], output: Path | None) -> list[Path]:
    """Write the pictures; gives their places. Raises WorkError where that is not possible."""
    paths = [_place(page, output, index == 0) for index, page in enumerate(pages)]
    for page, path in zip(pages, paths, strict=True):
        try:
            path.write_bytes(page.png)
        except OSError as error:
            why = error.strerror if path.parent.is_dir() else f"there is no folder {path.parent}"
            raise WorkError(f"cannot write {path}: {why}; name another place with -o") from error
    return paths


def _place(page: MarkedPage, output: Path | None, is_first: bool) -> Path:
    if output is None or output.is_dir():
        name = page.source.rpartition("/")[2]
        stem, dot, end = name.rpartition(".")
        name = stem if dot and f".{end.lower()}" in media.DRAWN_SUFFIXES else name
        return (output or Path()) / f"{_ODD.sub('_', name).strip('._-') or 'page'}-{page.number}.png"
    return output if is_first else output.with_name(f"{output.stem}-{page.number}{output.suffix}")

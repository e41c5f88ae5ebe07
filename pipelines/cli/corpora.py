"""``treegraph corpora``: public manuals to try treegraph on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...indexer.errors import Cancelled
from .common import Common, command, common_options
from .output import emit, note, say
from .progress import progress

if TYPE_CHECKING:
    from ...corpora.fetch import Corpus, FetchEvent


@click.group("corpora", short_help="Fetch public manuals to try treegraph on.")
@common_options
def corpora() -> None:
    """Public manuals that can be fetched, with their licences."""


@command("list", short_help="What can be fetched.")
def list_all(common: Common) -> int:
    """Name every corpus, its size and its licence."""
    from ...corpora.fetch import list_corpora

    known = list_corpora()
    if common.json:
        emit({"corpora": [_describe(corpus) for corpus in known]})
    else:
        say("\n".join(f"{c.name:20} {_size(c.size):>12}  {c.title}\n{'':34}{c.licence}" for c in known))
    return 0


@command("fetch", short_help="Download a corpus.")
@click.argument("name")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Where to (default: ./NAME).")
def fetch(common: Common, name: str, out: Path | None) -> int:
    """Download the corpus NAME and check it; an interrupted download goes on where it stopped."""
    from ...corpora.fetch import fetch as fetch_corpus

    folder = out or Path(name)
    notes: dict[str, str] = {}
    with progress(f"fetching {name}", common.quiet) as show:

        def listen(event: FetchEvent) -> None:
            if event.note:
                notes[event.item] = event.note
            show(event)

        try:
            files = fetch_corpus(name, folder, listen)
        except KeyboardInterrupt:
            raise Cancelled("stopped") from None
    for item, text in notes.items():
        note(f"{item}: {text}")
    if common.json:
        emit({"corpus": name, "files": [str(file) for file in files], "notes": notes})
    else:
        say("\n".join(str(file) for file in files))
    return 0


corpora.add_command(list_all)
corpora.add_command(fetch)


def _describe(corpus: Corpus) -> dict[str, Any]:
    names = ("name", "title", "licence", "homepage", "size", "pinned")
    described = {name: getattr(corpus, name) for name in names}
    return described | {"files": [{"url": file.url, "path": file.path} for file in corpus.files]}


def _size(size: int | None) -> str:
    return "unknown size" if size is None else f"{size / 2**20:,.1f} MiB"

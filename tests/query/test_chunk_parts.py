"""Chunks of several sections: citations name that in which what is quoted stands, or what was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest
import treegraph
from treegraph.indexer.chunking import ChunkSettings
from treegraph.indexer.chunking_outline import Outline
from treegraph.pipelines import recipe
from treegraph.query.index import Index

CONFIG = treegraph.Config(chunk=ChunkSettings(by="fixed", tokenizer="words"))
"""Under which each of the two papers is one chunk."""
CARE = (
    "# The mill\n\n## Sieve\n\nThe sieve is shaken clean after every batch. A torn sieve lets grit through, "
    "and grit spoils the flour.\n\n## Belt\n\nThe belt is tightened by two turns.\n\n## Bearing\n\n"
    "The bearing takes grease GX-5 once a month.\n"
)


def leaflet(path: Path) -> None:
    """A PDF of two pages with an outline, whose text is one chunk."""
    pages = (("Lamp", "The lamp is switched at the door."), ("Fuse", "The fuse F3 blows at nine ampere."))
    with pymupdf.open() as pdf:
        for title, said in pages:
            page = pdf.new_page()
            page.insert_text((72, 90), title, fontsize=16)
            page.insert_text((72, 130), said, fontsize=10)
        pdf.set_toc([[1, title, number] for number, (title, _) in enumerate(pages, 1)])
        pdf.save(path)


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parts") / "papers"
    folder.mkdir()
    (folder / "mill.md").write_text(CARE, "utf-8")
    leaflet(folder / "leaflet.pdf")
    return folder


@pytest.fixture(scope="module")
def index(papers: Path) -> Iterator[Index]:
    treegraph.build_index([papers], papers.parent / "index", config=CONFIG)
    with treegraph.open_index(papers.parent / "index", config=CONFIG) as opened:
        assert (
            len({hit.id for hit in opened.search("the mill, the lamp and the fuse", k=20, route="hybrid")})
            == 2
        )
        yield opened


ASKED = [
    ("How often is the sieve cleaned?", ("The mill", "Sieve"), None),
    ("How is the belt tightened?", ("The mill", "Belt"), None),
    ("Which grease does the bearing take?", ("The mill", "Bearing"), None),
    ("Where is the lamp switched?", ("Lamp",), (1,)),
    ("At what current does the fuse F3 blow?", ("Fuse",), (2,)),
]


@pytest.mark.parametrize(("question", "section", "pages"), ASKED)
def test_an_answer_cites_the_section_and_the_page_of_the_sentence_that_it_quotes(
    index: Index, question: str, section: tuple[str, ...], pages: tuple[int, ...] | None
) -> None:
    cited = index.ask(question).sentences[0].citations[0]
    assert (cited.section, cited.pages) == (section, pages)
    assert {box.page for box in cited.boxes} == set(pages or ())


@pytest.mark.parametrize(("question", "section", "pages"), ASKED)
def test_a_hit_cites_the_section_that_says_most_of_the_question_and_all_its_pages(
    index: Index, question: str, section: tuple[str, ...], pages: tuple[int, ...] | None
) -> None:
    cited = index.search(question, route="hybrid")[0].citations[0]
    assert cited.section == section
    assert cited.pages == (pages and (1, 2))


def test_an_index_of_before_cites_the_largest_section_and_is_made_anew_without_embedding(
    papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(recipe, "PIPELINE_VERSION", 2)
        before.setattr(Outline, "parts", lambda *_: ())
        treegraph.build_index([papers], tmp_path / "old", config=CONFIG)
    with treegraph.open_index(tmp_path / "old", config=CONFIG) as old:
        assert old.ask(ASKED[1][0]).citations[0].section == ("The mill", "Sieve")
    report = treegraph.build_index([papers], tmp_path / "old", config=CONFIG)
    assert (report.embedded, report.reused) == (0, 2)
    with treegraph.open_index(tmp_path / "old", config=CONFIG) as new:
        assert new.ask(ASKED[1][0]).citations[0].section == ("The mill", "Belt")

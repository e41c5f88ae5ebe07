"""A question about one page, shown to a model that sees: answered and cited, or not shown; for whom, and from
which file."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
import treegraph
from fake_openai import Answer
from fake_vision import Asked, FakeVisionServer
from hash_embedder import FakeHashEmbedder
from page_pictures import chart_pdf, scanned_pdf
from scripted_reader import ScriptedReader
from small_index import CONFIG, build
from treegraph.indexer.models import ocr
from treegraph.indexer.models.settings import VisionSettings
from treegraph.pipelines.cli.app import run
from treegraph.query.index import Index
from treegraph.query.tools.tool import Desk
from treegraph.query.tools.toolbox import Toolbox, tools_of

Q4 = "How much was it in Q4?"
LABELLED = """\
version = 1
[chunk]
tokenizer = "words"
[[documents]]
glob = "works/board.pdf"
labels = ["board"]
"""


@pytest.fixture(scope="module")
def works(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a report for all and one for the board, a text without pages, and their index."""
    folder = tmp_path_factory.mktemp("look")
    source = folder / "works"
    source.mkdir()
    chart_pdf(source / "annual.pdf")
    shutil.copy(source / "annual.pdf", source / "board.pdf")
    with (source / "board.pdf").open("ab") as file:
        file.write(b"\n% for the board\n")
    (source / "notes.md").write_text("# Notes\n\nRelay stations have no pages here.")
    (folder / "treegraph.toml").write_text(LABELLED)
    config = treegraph.load_config(folder / "treegraph.toml").config
    report = build(folder / "index", source, config=config)
    assert not report.failed
    return folder


@pytest.fixture(scope="module")
def server() -> Iterator[FakeVisionServer]:
    with FakeVisionServer() as running:
        yield running


def opened(works: Path, server: FakeVisionServer | None) -> Index:
    vision = VisionSettings()
    if server is not None:
        vision = VisionSettings(base_url=server.base_url, model="fake-vision-1", price_in=2.0)
    config = treegraph.Config(chunk=CONFIG.chunk, vision=vision)
    return treegraph.open_index(works / "index", config=config, embedder=FakeHashEmbedder())


@pytest.fixture(scope="module")
def index(works: Path, server: FakeVisionServer) -> Iterator[Index]:
    with opened(works, server) as found:
        yield found


def test_what_the_page_shows_is_answered_and_cited_as_native(index: Index) -> None:
    looked = index.look("works/annual.pdf", 1, Q4)
    assert looked.found
    assert "$180M" in looked.text
    (citation,) = looked.citations
    assert (citation.source, citation.pages, citation.origin) == ("works/annual.pdf", (1,), "native")
    assert citation.confidence == 0.5  # it stands in the picture alone
    assert index.read(citation.chunk).kind == "chunk"
    assert looked.calls == 1
    assert looked.cost == pytest.approx(looked.tokens.tokens_in * 2 / 1e6)


def test_what_the_pages_text_bears_out_is_surer(index: Index) -> None:
    looked = index.look("works/annual.pdf", 1, "What did maintenance contracts do?")
    assert "maintenance" in looked.text
    assert looked.citations[0].confidence == 1.0


@pytest.mark.parametrize(
    ("said", "asked", "sure"),
    [
        ("Growth came from relay stations.", "Where did growth come from?", 1.0),
        ("It carries the number 1 there.", "Which label does it have?", 1.0),
        ("It carries the number 2 there.", "Which label does it have?", 0.5),
        ("Q2.", Q4, 0.5),
        ("Yes.", "Does the page have a figure?", 0.5),
        ("The second bar is purple.", "Which colour is the second bar?", 0.5),
    ],
)
def test_an_answer_is_as_sure_as_what_the_page_says_of_it(
    works: Path, said: str, asked: str, sure: float
) -> None:
    with FakeVisionServer(lambda *_: said) as server, opened(works, server) as index:
        (citation,) = index.look("works/annual.pdf", 1, asked).citations
    assert citation.confidence == sure


def test_a_page_without_text_bears_nothing_out_and_one_read_from_its_picture_no_more_than_it_is_sure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "Growth came from relay stations."
    (tmp_path / "works").mkdir()
    scanned_pdf(tmp_path / "works" / "scan.pdf", [[said], ["Nothing is read here."]])
    reader = ScriptedReader(lambda number: said if number == 1 else "")
    monkeypatch.setattr(ocr, "load_ocr", lambda settings: reader)
    build(tmp_path / "index", tmp_path / "works", without=["tree", "graph"])
    with FakeVisionServer(lambda *_: said) as server, opened(tmp_path, server) as index:
        found = [index.look("works/scan.pdf", page, "Where did it come from?") for page in (1, 2)]
    assert [looked.citations[0].confidence for looked in found] == [0.9, 0.5]


def test_an_answer_is_text_that_can_be_written_anywhere(works: Path) -> None:
    def broken(asked: Asked, right: str) -> str:
        return f"{right} \ud83d\x1b[2J"

    with FakeVisionServer(broken) as server, opened(works, server) as index:
        assert index.look("works/annual.pdf", 1, Q4).text.encode().endswith("\ufffd\ufffd[2J".encode())


def test_a_hit_stands_for_its_page_and_what_is_not_shown_is_said_to_be(index: Index) -> None:
    hits = index.search("growth relay stations", route="hybrid")
    hit = next(hit for hit in hits if hit.citations[0].pages)
    assert index.look(hit.id, None, Q4).page == 1
    assert index.look(hit.id, 1, Q4).text == index.look(hit.citations[0].document, 1, Q4).text
    node = index.tree().id
    assert index.look(str(node), None, Q4).page == index.look(str(node), 1, Q4).page == 1
    looked = index.look(hit.id, None, "Where do zebras graze?")
    assert not looked.found
    assert looked.citations == ()
    assert "does not show it" in looked.text


def test_the_model_is_shown_the_pages_text_as_data(index: Index, server: FakeVisionServer) -> None:
    index.look("works/annual.pdf", 1, Q4)
    prompt = server.asked[-1].prompt
    assert '<passage source="works/annual.pdf p. 1">' in prompt
    assert "maintenance contracts" in prompt
    assert server.sizes[-1] == (875, 875)  # at 150 dpi


def test_a_page_of_an_unreadable_document_is_no_such_document(index: Index, server: FakeVisionServer) -> None:
    assert index.look("works/board.pdf", 1, Q4, labels=["board"]).found
    asked = len(server.asked)
    hit = next(hit for hit in index.search("growth") if hit.citations[0].source == "works/board.pdf")
    for name, page in (("works/board.pdf", 1), (hit.id, None), (hit.citations[0].document, 1)):
        with pytest.raises(treegraph.ConfigurationError) as hidden:
            index.look(name, page, Q4, labels=[])
        with pytest.raises(treegraph.ConfigurationError) as unknown:
            index.look("works/nothing.pdf" if page else "nothing", page, Q4, labels=[])
        assert str(hidden.value).partition(":")[2] == str(unknown.value).partition(":")[2]
    assert len(server.asked) == asked


@pytest.mark.parametrize(
    ("name", "page", "part"),
    [
        ("works/annual.pdf", 2, "pages 1-1"),
        ("works/notes.md", 1, "no pages"),
        ("works/annual.pdf", None, "one page"),
    ],
)
def test_a_page_that_is_not_there_is_said_to_be(index: Index, name: str, page: int | None, part: str) -> None:
    with pytest.raises(treegraph.ConfigurationError, match=part):
        index.look(name, page, Q4)


def test_without_a_model_that_sees_it_says_how_to_give_one(works: Path) -> None:
    with (
        opened(works, None) as blind,
        pytest.raises(treegraph.ConfigurationError, match="--vision MODEL@URL"),
    ):
        blind.look("works/annual.pdf", 1, Q4)
    with opened(works, None) as blind:
        assert "look" not in {tool.metadata.name for tool in blind.as_tools()}


def test_a_file_that_changed_or_went_is_named_with_what_to_do(
    works: Path, server: FakeVisionServer, tmp_path: Path
) -> None:
    source = tmp_path / "works"
    shutil.copytree(works / "works", source)
    build(tmp_path / "index", source)
    with opened(tmp_path, server) as index:
        with (source / "annual.pdf").open("ab") as file:
            file.write(b"\n% another edition\n")
        with pytest.raises(treegraph.SourceChanged, match="build again"):
            index.look("works/annual.pdf", 1, Q4)
        (source / "annual.pdf").unlink()
        with pytest.raises(treegraph.SourceGone, match="put it back, or build again"):
            index.look("works/annual.pdf", 1, Q4)


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        (lambda asked, right: "I'm sorry, I can't look at pictures.", "a refusal"),
        (lambda asked, right: "", "empty"),
        (
            lambda asked, right: "Im vierten Quartal waren es wohl 180 Millionen, wie das Bild zeigt.",
            "language",
        ),
        (lambda asked, right: Answer("broken", status=400), "400"),
    ],
)
def test_a_model_that_fails_fails_by_name(works: Path, fault: object, named: str) -> None:
    with (
        FakeVisionServer(fault) as failing,  # type: ignore[arg-type]
        opened(works, failing) as index,
        pytest.raises(treegraph.WorkError, match=named),
    ):
        index.look("works/annual.pdf", 1, Q4)


def test_a_picture_that_fills_the_window_is_not_sent(works: Path) -> None:
    with FakeVisionServer() as server:
        vision = VisionSettings(base_url=server.base_url, model="fake-vision-1", window=1300)
        config = treegraph.Config(chunk=CONFIG.chunk, vision=vision)
        with (
            treegraph.open_index(works / "index", config=config, embedder=FakeHashEmbedder()) as index,
            pytest.raises(treegraph.PageUnavailable, match="max_pixels"),
        ):
            index.look("works/annual.pdf", 1, Q4)
        assert not server.asked


def test_a_fault_that_passes_costs_one_more_call(works: Path) -> None:
    def once(asked: Asked, right: str) -> str | None:
        return "I'm sorry, I can't." if asked.turn == 0 else None

    with FakeVisionServer(once) as server, opened(works, server) as index:
        looked = index.look("works/annual.pdf", 1, Q4)
    assert "$180M" in looked.text
    assert looked.calls == len(server.asked) == 2


def test_an_agent_can_look_as_the_reader_whom_it_serves(index: Index) -> None:
    tools = Toolbox(Desk(index, ()), 2000, tools_of(look=index.look))
    shown = tools.call("look", {"page": "works/annual.pdf@1", "question": Q4})
    assert not shown.failed
    assert shown.document["found"]
    assert (shown.document["origin"], shown.document["confidence"]) == ("native", 0.5)
    assert "$180M" in shown.document["parts"][0]["text"]
    other = tools.call("look", {"page": "works/annual.pdf@1", "question": "Where do zebras graze?"})
    assert not other.document["found"]
    assert "origin" not in other.document
    hidden = tools.call("look", {"page": "works/board.pdf@1", "question": Q4})
    unknown = tools.call("look", {"page": "works/nought.pdf@1", "question": Q4})
    assert hidden.failed
    assert hidden.document["error"].replace("board", "nought") == unknown.document["error"]
    assert "look" in {tool.metadata.name for tool in index.as_tools()}


def test_the_command_line_looks_prints_and_exits_by_what_it_saw(
    works: Path, server: FakeVisionServer, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    vision = ["-i", str(works / "index"), "--vision", f"fake-vision-1@{server.base_url}"]
    assert run(["look", "works/annual.pdf@1", Q4, *vision]) == 0
    shown = capfdbinary.readouterr().out.decode()
    assert "$180M" in shown
    assert "works/annual.pdf  p. 1" in shown
    assert "in the picture alone" in shown
    assert "cost unknown" in shown  # no prices are set
    assert run(["look", "works/annual.pdf@1", Q4, *vision, "--json"]) == 0
    schema = resources.files("treegraph.pipelines") / "schemas" / "look.schema.json"
    jsonschema.validate(json.loads(capfdbinary.readouterr().out), json.loads(schema.read_text()))
    assert run(["look", "works/annual.pdf@1", "Where do zebras graze?", *vision]) == 4
    assert run(["look", "works/board.pdf@1", Q4, *vision, "--labels", ""]) == 2
    assert run(["look", "works/annual.pdf@1", Q4, "-i", str(works / "index")]) == 2

"""Questions for how many, and for all: what they ask for, and what the index knows of it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import treegraph
from hash_embedder import FakeHashEmbedder
from small_index import build, open_small
from small_plant import PLANT
from treegraph.indexer.errors import StoreUnreachable
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.query.enumeration import Group
from treegraph.query.index import Index
from treegraph.query.router.heads import MOST, heads_of
from treegraph.query.router.settings import RouterSettings

LANGUAGES = ("en", "de", "zh", "ja", "ko")


@pytest.mark.parametrize(
    ("question", "head"),
    [
        ("How many relays are there?", "relays"),
        ("List all error codes of the supply", "error codes"),
        ("Which registers are there?", "registers"),
        ("How many sensors can the Heron 4 measure?", "sensors"),
        ("Wie viele Relais gibt es?", "Relais"),
        ("列出所有传感器", "传感器"),
        ("一共有几个传感器？", "传感器"),
        ("センサーはいくつありますか？", "センサー"),
        ("すべてのセンサー", "センサー"),
        ("센서는 몇 개입니까?", "센서"),
    ],
)
def test_what_is_counted_is_read_off_the_question(question: str, head: str) -> None:
    assert heads_of(question, LANGUAGES)[0] == head


def test_a_question_that_counts_nothing_has_no_head() -> None:
    assert heads_of("When does the valve open?", LANGUAGES) == []


@pytest.mark.parametrize(
    "question",
    [
        "how many " + "a" * 100_000,
        "how many " * 12_000,
        "how many" + " " * 100_000 + "relays",
        "list all " * 5 + "the " * 25_000,
        "".join(f"how many thing{n} are there, " for n in range(4_000)),
        "所有" * 50_000,
        "有多少" * 33_000 + "传感器",
        "列出" + "传感器" * 33_000,
        "モ" * 50_000 + "すべての" * 12_000,
        "모든" * 50_000,
    ],
    ids=lambda question: question[:20],
)
def test_a_question_made_to_cost_costs_little(question: str) -> None:
    began = time.process_time()
    found = heads_of(question, LANGUAGES)
    assert time.process_time() - began < 0.5
    assert len(found) <= MOST


TEXTS = {
    "north": "# North station\n\n## Relays of the north\n\nThe Cobalt Relay requires PUMP-12. The Amber "
    "Relay uses FAN-3.\n\n## Pumps\n\nPUMP-12 sets GATE-3 if the Cobalt Relay is on.\n",
    "south": "# South station\n\n## Relays of the south\n\n"
    "The Indigo Relay requires KIV-40. KIV-40 enables GATE-3.\n",
    "annex": "# Annex\n\n## Relays of the annex\n\nThe Quince Relay requires QNC-1. QNC-1 sets GATE-3.\n",
}


def _entry(number: int, status: str) -> Mapping[str, str]:
    return {
        "_id": f"r{number}",
        "title": f"Entry {number}",
        "text": f"Shift {number} ended.",
        "status": status,
    }


@pytest.fixture(scope="module")
def stations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("stations")
    folder = home / "stations"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / f"{name}.md").write_text(text * 2, "utf-8")
    (folder / "annex.md.meta.toml").write_text('labels = ["staff"]\n', "utf-8")
    (folder / "log.jsonl").write_text(
        "".join(
            json.dumps({"_id": f"r{n}", "title": f"Entry {n}", "text": f"Shift {n} ended.", "status": status})
            + "\n"
            for n, status in enumerate(("open", "closed", "open"))
        ),
        "utf-8",
    )
    build(home / "index", folder, config=PLANT)
    return home / "index"


@pytest.fixture
def index(stations: Path) -> Iterator[Index]:
    with open_small(stations) as opened:
        yield opened


def groups(index: Index, question: str, **options: object) -> Mapping[str, Group]:
    found = index.search(question, **options).enumeration  # type: ignore[arg-type]
    return {} if found is None else {group.kind: group for group in found.groups}


def names(group: Group) -> set[str]:
    return {item.name for item in group.items}


def test_all_entities_of_a_kind_are_listed_with_where_they_stand(index: Index) -> None:
    found = groups(index, "How many relays are there?")
    relays = found["entity"]
    assert {"Cobalt Relay", "Amber Relay", "Indigo Relay", "Quince Relay"} <= names(relays)
    assert relays.count == len(relays.items) >= 4
    assert relays.complete
    cobalt = next(item for item in relays.items if item.name == "Cobalt Relay")
    assert cobalt.where.endswith("north.md")
    assert "Cobalt Relay" in index.read(cobalt.chunk).text
    assert not any("PUMP" in name for name in names(relays))


def test_a_reader_is_told_of_what_they_may_read_alone(index: Index) -> None:
    found = groups(index, "How many relays are there?", labels=[])
    assert {"Cobalt Relay", "Indigo Relay"} <= names(found["entity"])
    result = index.search("How many relays are there?", labels=[]).to_json()
    assert "Quince" not in json.dumps(result["enumeration"])
    assert "annex" not in json.dumps(result["enumeration"])
    every = groups(index, "How many relays are there?")["entity"].count
    assert found["entity"].count < every


def test_documents_are_counted_as_such(index: Index) -> None:
    assert groups(index, "How many documents are there?")["document"].count == 6
    assert groups(index, "How many documents are there?", labels=[])["document"].count == 5
    narrowed = groups(index, "List all documents", sources=["*.jsonl*"])["document"]
    assert narrowed.count == 3
    assert narrowed.note.endswith("of 3 documents that you may read and that filters and dates leave")
    every = groups(index, "List all documents", labels=[])["document"]
    assert every.note.endswith("of 5 documents that you may read")


def test_records_are_found_by_their_fields(index: Index) -> None:
    assert names(groups(index, "How many open entries are there?")["document"]) == {"Entry 0", "Entry 2"}


def test_other_questions_and_other_routes_list_nothing(index: Index) -> None:
    assert groups(index, "What does the Cobalt Relay require?") == {}
    assert groups(index, "How many relays are there?", route="hybrid") == {}
    assert groups(index, "How many zeppelins are there?") == {}
    assert "enumeration" not in index.search("What does the Cobalt Relay require?").to_json()


def test_it_can_be_left_out(stations: Path) -> None:
    config = replace(PLANT, router=RouterSettings(enumerate=False))
    with treegraph.open_index(stations, config=config, embedder=FakeHashEmbedder()) as index:
        assert groups(index, "How many relays are there?") == {}


def test_without_the_graph_the_rest_is_listed(stations: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(self: IndexFolder) -> None:
        raise StoreUnreachable("the server does not answer")

    monkeypatch.setattr(IndexFolder, "graph", gone)
    with open_small(stations) as index:
        found = index.search("List all relays")
    assert found.degraded == ("graph",)
    assert found.enumeration is not None
    assert {group.kind for group in found.enumeration.groups} == {"section"}

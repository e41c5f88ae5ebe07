"""No way of reading the graph shows what stands in documents that the reader may not see."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import treegraph
from command_line import Here
from grown_graph import whole_graph
from hash_embedder import FakeHashEmbedder
from small_index import CONFIG, build, manual
from treegraph.query.graph_settings import GraphReadSettings

CONFIGS = {
    "whole": CONFIG,
    "in parts": replace(CONFIG, graph_read=GraphReadSettings(whole=0)),
}
OPEN = {
    "water": "# Water\n\n## Intake\n\nThe Cobalt Neutral Relay Yoke requires KIV-40. KIV-40 uses PUMP-12.\n\n"
    "## Gate\n\nPUMP-12 sets GATE-3 unless FLOOD = 1. The Cobalt Neutral Relay Yoke is a relay.\n",
    "steam": "# Steam\n\n## Outlet\n\nBLUEBIRD uses PUMP-12 only if LOCK_STATE = 1. "
    "BLUEBIRD requires FAN-3.\n",
}
CLOSED = (
    "# Canary Titleword Handbook\n\n## Canary Sectionword\n\n"
    "The Cobalt Neutral Relay Yoke (CNRY) requires CNRY-1.STATE only if CNRY_COND = 1. "
    "PUMP-12 requires CNRY-2.\n\n"
    "CNRY-1.STATE enables GATE-3. KIV-40 enables BLUEBIRD unless CNRY-3 is set. KIV-40 uses PUMP-12.\n\n"
    "## More\n\nPUMP-12 uses FAN-3 while the CNRYWORD holds. BLUEBRIDE requires PUMP-12. See Table 99-7.\n"
)
HIDDEN = ("CNRY", "Canary", "CANARY", "Titleword", "Sectionword", "BLUEBRIDE", "99-7", "cnryfile")
NAMES = (
    "Cobalt Neutral Relay Yoke",
    "KIV-40",
    "PUMP-12",
    "GATE-3",
    "BLUEBIRD",
    "FAN-3",
    "LOCK_STATE",
    "Water",
)
META = 'labels = ["staff"]\nedition = "Canary edition"\nsite = "CANARY-SITE"\n'
QUESTIONS = (
    "What does the Cobalt Neutral Relay Yoke require?",
    "What does CNRY-1.STATE enable?",
    "What is between KIV-40 and BLUEBIRD?",
    "CNRY",
    "BLUEBRIDE",
    "Canary Titleword Handbook",
    "an overview of PUMP-12, KIV-40, GATE-3, FAN-3 and BLUEBIRD",
    "Give a summary of everything about the station in general",
    "which things does the CNRYWORD hold, and what are the main topics of them?",
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``index`` has the closed document, ``without`` has not."""
    folder = tmp_path_factory.mktemp("closed")
    manuals = manual(folder / "manuals", **OPEN)
    build(folder / "without", manuals)
    (manuals / "cnryfile.md").write_text(CLOSED)
    (manuals / "cnryfile.md.meta.toml").write_text(META)
    build(folder / "index", manuals)
    return folder


@pytest.fixture(scope="module", params=CONFIGS)
def opened(request: pytest.FixtureRequest, folders: Path) -> Iterator[treegraph.Index]:
    with treegraph.open_index(
        folders / "index", config=CONFIGS[request.param], embedder=FakeHashEmbedder()
    ) as found:
        yield found


def leaks(shown: object, asked: str = "") -> list[str]:
    """The hidden words in what is shown, but for what the reader wrote."""
    text = str(shown).replace(asked, "") if asked else str(shown)
    return [word for word in HIDDEN if word in text]


def found_by(opened: treegraph.Index, question: str, **options: Any) -> treegraph.SearchResult:
    return opened.search(question, k=50, route="graph", explain=True, neighbours=2, **options)


def without_ids(view: dict[str, Any]) -> dict[str, Any]:
    """What a view says, without ids of this index and without communities."""
    stated = [
        [one["direction"], one["type"], one["other"]["name"], one["weight"], one["description"]]
        + [[each["sentence"], each["condition"], each["citation"]["source"]] for each in one["evidence"]]
        for one in view["relations"]
    ]
    cited = sorted([one["source"], one["section"]] for one in view["chunks"])
    kept = ("name", "type", "aliases", "description", "mentions", "relation_count")
    return {"stated": sorted(stated, key=json.dumps), "cited": cited} | {name: view[name] for name in kept}


def test_the_owner_and_the_staff_see_what_is_planted(opened: treegraph.Index) -> None:
    for labels in (None, ["staff"]):
        view = opened.entity("CNRY", labels).to_json()
        assert "Cobalt Neutral Relay Yoke" in {view["name"], *view["aliases"]}
        assert (
            opened.entity_path("Cobalt Neutral Relay Yoke", "GATE-3", labels)
            .steps[0]
            .condition.endswith("CNRY_COND = 1")
        )
        shown = [found_by(opened, question, labels=labels) for question in QUESTIONS]
        assert {"CNRY", "Canary", "Titleword", "Sectionword", "BLUEBRIDE"} <= set(leaks(shown))
        assert "report" in {hit.kind for found in shown for hit in found.hits}


@pytest.mark.parametrize("labels", [[], ["unheard-of"]])
@pytest.mark.parametrize("question", QUESTIONS)
def test_no_search_shows_a_word_of_it(opened: treegraph.Index, question: str, labels: list[str]) -> None:
    found = found_by(opened, question, labels=labels)
    assert len(found.hits) > 0
    assert leaks(list(found.hits)) == []
    assert leaks([found.route, found.degraded]) == []
    assert leaks(found.explanation, question) == [] or all(
        word.lower() in question.lower() for word in leaks(found.explanation)
    )


@pytest.mark.parametrize("options", [{"filters": ["site=CANARY-SITE"]}, {"sources": ["manuals/cnry*"]}])
def test_a_filter_opens_nothing(opened: treegraph.Index, options: dict[str, Any]) -> None:
    for question in QUESTIONS:
        assert list(found_by(opened, question, labels=[], **options).hits) == []
    for question in QUESTIONS:
        hits = found_by(opened, question, labels=None, **options).hits
        documents = {citation.source for hit in hits for citation in hit.citations}
        assert documents <= {"manuals/cnryfile.md"}


def test_a_filter_takes_away_names_and_paths_too(opened: treegraph.Index) -> None:
    for question in QUESTIONS:
        hits = list(found_by(opened, question, labels=None, sources=["manuals/water.md"]).hits)
        assert leaks(hits) == []
        assert "BLUEBIRD" not in str(hits)


@pytest.mark.parametrize("name", NAMES)
def test_an_entity_is_shown_as_if_the_document_were_not_there(
    opened: treegraph.Index, folders: Path, name: str
) -> None:
    view = opened.entity(name, labels=[]).to_json()
    assert leaks(view) == []
    with treegraph.open_index(folders / "without", embedder=FakeHashEmbedder()) as without:
        assert without_ids(view) == without_ids(without.entity(name).to_json())


def test_no_path_leads_over_it(opened: treegraph.Index) -> None:
    for first, second in permutations(NAMES[:7], 2):
        path = opened.entity_path(first, second, labels=[]).to_json()
        assert leaks(path) == []
    assert [step.type for step in opened.entity_path("KIV-40", "BLUEBIRD").steps] == ["enables"]
    public = opened.entity_path("KIV-40", "BLUEBIRD", labels=[]).steps
    assert "enables" not in [step.type for step in public]


def test_its_names_are_unknown_and_not_offered(opened: treegraph.Index, folders: Path) -> None:
    planted = [one for one in whole_graph(folders / "index").entities.values() if leaks(one.name)]
    assert len(planted) >= 6
    asked = [name for one in planted for name in (one.id, one.name, f"{one.name}X", one.name.lower())]
    for name in (*asked, "CNRY", "Canary", "BLUEBRIDA", "Table 99-7", "Handbook"):
        with pytest.raises(treegraph.ConfigurationError, match="no entity is called") as raised:
            opened.entity(name, labels=[])
        assert leaks(raised.value, repr(name)) == []
        with pytest.raises(treegraph.ConfigurationError) as raised:
            opened.entity_path("PUMP-12", name, labels=[])
        assert leaks(raised.value, repr(name)) == []


def test_communities_over_it_are_for_those_who_may_read_all_of_them(
    opened: treegraph.Index, folders: Path
) -> None:
    closed = [one for one in whole_graph(folders / "index").communities.values() if len(one.documents) > 1]
    assert closed
    held = {one["id"] for name in NAMES for one in opened.entity(name, labels=[]).to_json()["communities"]}
    assert held.isdisjoint(one.id for one in closed)
    assert any(opened.entity(name).communities for name in NAMES)


def test_the_command_line_shows_no_word_of_it(
    folders: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = Here.entered(folders, monkeypatch, capsys)
    for name in NAMES:
        for form in ((), ("--json",)):
            done = here("graph", name, "--labels", "", "-i", "index", *form)
            assert (done.code, leaks(done.out), leaks(done.err)) == (0, [], [])
    done = here("graph", "PUMP-12", "--to", "CNRY-2", "--labels", "", "-i", "index")
    assert (done.code, leaks(done.err, "CNRY-2")) == (2, [])


def test_labels_taken_away_close_it_at_once(folders: Path, tmp_path: Path) -> None:
    manuals = manual(tmp_path / "manuals", **OPEN)
    (manuals / "cnryfile.md").write_text(CLOSED)
    build(tmp_path / "index", manuals)
    with treegraph.open_index(tmp_path / "index", embedder=FakeHashEmbedder(), follow=True) as opened:
        assert opened.entity("CNRY-2", labels=[]).entity.name == "CNRY-2"
        (manuals / "cnryfile.md.meta.toml").write_text(META)
        build(tmp_path / "index", manuals)
        with pytest.raises(treegraph.ConfigurationError):
            opened.entity("CNRY-2", labels=[])
        shown = [list(found_by(opened, question, labels=[]).hits) for question in QUESTIONS]
        assert leaks(shown) == []
        (manuals / "cnryfile.md.meta.toml").unlink()
        build(tmp_path / "index", manuals)
        assert opened.entity("CNRY-2", labels=[]).entity.name == "CNRY-2"

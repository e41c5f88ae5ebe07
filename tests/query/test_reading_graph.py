"""Reading entities and communities of the graph: what is above, below and beside, and who sees it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import small_index
from command_line import Here, validate
from treegraph.indexer.errors import ConfigurationError
from treegraph.indexer.graph.settings import GraphSettings
from treegraph.pipelines.cli.hits import render_result
from treegraph.pipelines.cli.output import show
from treegraph.query.index import Index

PARTS = 18
PUMP = "# Pumps\n\n## Relief\n\nThe Relief Valve (RV) requires PUMP-12 only if GATE-3 is open.\n\n" + "".join(
    f"PUMP-12 uses SEAL-{n}. SEAL-{n} requires PART-{n}. PART-{n} uses RING-{n}.\n\n" for n in range(PARTS)
)
PUMP += "## 4.2 Seals\n\nA seal is greased before it is put in. What to do is said in section 4.2.\n"
STEAM = "# Steam\n\n## Boiler\n\nBOILER-1 requires FAN-3. FAN-3 uses DUCT-2 unless DUCT-4 is shut.\n\n"
STEAM += "## 4.2 Ducts\n\nA duct is swept in autumn and in spring. How it is done is said in section 4.2.\n"
SECRET = "# Vault\n\n## Inside\n\nFAN-3 uses VAULT-9. VAULT-9 requires DUCT-2. VAULT-9 sets BOILER-1.\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("plant")
    manuals = small_index.manual(home / "manuals", pumps=PUMP, steam=STEAM, secret=SECRET)
    (manuals / "secret.md.meta.toml").write_text('labels = ["staff"]\n')
    config = replace(small_index.CONFIG, graph=GraphSettings(community=6))
    small_index.build(home / "index", manuals, config=config)
    return home


@pytest.fixture
def plant(folder: Path) -> Iterator[Index]:
    with small_index.open_small(folder / "index") as index:
        yield index


def test_an_entity_is_read_by_its_id_with_what_is_above_and_below(plant: Index) -> None:
    seen = plant.entity("RV")
    reading = plant.read(seen.entity.id)
    assert reading.kind == "entity"
    assert reading.entity == seen
    assert f"{seen.entity.name} -[requires]-> PUMP-12" in reading.text
    assert "condition: only if GATE-3 is open" in reading.text
    assert reading.citations == seen.chunks
    assert [step["id"] for step in reading.above] == [one.id for one in reversed(seen.communities)]
    for chunk in reading.below:
        assert "Relief Valve (RV)" in plant.read(chunk).text
    document = reading.to_json()
    validate("read", document)
    assert {**document, **seen.to_json()} == document | {"kind": "entity"}


def test_another_thing_of_the_same_name_is_told_by_where_it_stands(plant: Index) -> None:
    view = plant.entity("4.2")
    ((other, cited),) = view.others
    assert cited is not None
    assert {cited.source, view.chunks[0].source} == {"manuals/pumps.md", "manuals/steam.md"}
    assert f"  also called so: 4.2 (section), in {other.mentions} passage" in plant.read(view.entity.id).text
    assert plant.read(other.id).entity is not None
    validate("graph", view.to_json())


def test_a_community_is_read_with_its_members_and_the_communities_around_it(plant: Index) -> None:
    held = [plant.entity(name).communities for name in (f"PART-{number}" for number in range(PARTS))]
    finest, *higher = next(communities for communities in held if len(communities) > 1)
    reading = plant.read(finest.id)
    validate("read", reading.to_json())
    assert (reading.kind, reading.text, reading.context) == ("community", finest.report, finest.title)
    assert reading.community is not None
    assert {one.id for one in reading.community.members} == set(finest.members) == set(reading.below)
    assert [step["id"] for step in reading.above] == [one.id for one in reversed(higher)]
    assert [citation.chunk for citation in reading.citations] == list(finest.chunks)
    assert reading.community.documents == ("manuals/pumps.md",)


def test_communities_lead_down_to_every_member_and_along_to_every_neighbour(plant: Index) -> None:
    top = plant.read(max((plant.entity(f"PART-{n}").communities for n in range(PARTS)), key=len)[-1].id)
    assert top.community is not None
    assert top.beside is None
    found: set[str] = set()
    left = [top.id]
    while left:
        reading = plant.read(left.pop())
        assert reading.community is not None
        if not reading.community.communities:
            found.update(reading.below)
            continue
        left += reading.below
        for before, after in zip(reading.below, reading.below[1:], strict=False):
            assert (plant.read(before).beside or {})["next"] == after
            assert (plant.read(after).beside or {})["previous"] == before
    assert len(top.below) > 1
    assert found == {one.id for one in top.community.members}


def test_a_report_that_is_found_can_be_read(plant: Index) -> None:
    hits = plant.search("give an overview of everything", k=20, route="graph")
    found = [hit for hit in hits if hit.kind == "report"] or [
        hit
        for hit in plant.search("PUMP-12, SEAL-1, SEAL-2, PART-3 and PART-4", k=20, route="graph")
        if hit.kind == "report"
    ]
    assert found
    for hit in found:
        assert plant.read(hit.id).text == hit.text


def test_what_rests_on_unreadable_documents_cannot_be_read(plant: Index) -> None:
    vault = plant.entity("VAULT-9")
    closed = [one.id for one in plant.entity("FAN-3").communities]
    for name in (vault.entity.id, *closed):
        assert plant.read(name, labels=["staff"]).id == name
        with pytest.raises(ConfigurationError, match="nothing to read"):
            plant.read(name, labels=[])
    shown = plant.read(plant.entity("FAN-3").entity.id, labels=[])
    assert "VAULT" not in str(shown)
    assert shown.above == ()
    assert len(plant.read(shown.id).below) == len(shown.below) + 1
    with pytest.raises(ConfigurationError, match="entity or community"):
        plant.read("no such thing")


def test_an_index_without_a_graph_has_none_to_read(folder: Path) -> None:
    manuals = small_index.manual(folder / "other", steam=STEAM)
    small_index.build(folder / "plain", manuals, without=("tree", "graph"))
    with small_index.open_small(folder / "plain") as plain, pytest.raises(ConfigurationError):
        plain.read("1be429f4-cb31-5864-85c9-89883a9dee4e")


def test_the_command_shows_both(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], plant: Index
) -> None:
    here = Here.entered(folder, monkeypatch, capsys)
    entity = plant.entity("PUMP-12")
    shown = here("read", entity.entity.id, "-i", "index").out
    assert shown == here("graph", "PUMP-12", "-i", "index").out
    assert here("read", entity.entity.id, "-i", "index", "--json").json("read")["kind"] == "entity"
    finest, top = entity.communities[0], entity.communities[-1]
    lines = here("read", finest.id, "-i", "index").out.splitlines()
    assert lines[0] == finest.title
    assert lines[1] == f"community of {len(finest.members)} entities, level 0, over 1 document"
    assert any(line.startswith("members: ") and "PUMP-12" in line for line in lines)
    assert any(line.startswith(f"rests on: {finest.chunks[0]} manuals/pumps.md") for line in lines)
    below = [line for line in here("read", top.id, "-i", "index").out.splitlines() if "below: " in line]
    assert len(below) == len(plant.read(top.id).below)
    assert here("read", top.id, "-i", "index", "--json").json("read")["level"] == top.level


def test_the_listing_of_hits_tells_reports_from_passages_and_shows_the_way(
    plant: Index, capsys: pytest.CaptureFixture[str]
) -> None:
    def listed(question: str, explain: bool = False) -> str:
        capsys.readouterr()
        show(*render_result(plant.search(question, route="graph", explain=explain)))
        return capsys.readouterr().out

    many = "PUMP-12, SEAL-1, SEAL-2, PART-3 and PART-4"
    assert "  report of a community\n" in listed(many)
    assert "    by PUMP-12" in listed(many)
    assert "    by " not in listed(many, explain=True)
    assert "links    PUMP-12 = PUMP-12 (name 1.00), " in listed(many, explain=True)
    assert "links    none, so the order is that of the hybrid route" in listed(
        "and where is it", explain=True
    )

"""An entity and a path to look at: what they show, to whom, and what is said of an unknown name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from graph_rows import Graph, publish
from small_graph import Said, SmallGraph, build
from treegraph.indexer.errors import ConfigurationError
from treegraph.indexer.stores.graph_sqlite import SqliteGraphStore
from treegraph.indexer.types import PUBLIC
from treegraph.query.access import Access
from treegraph.query.graph_lines import entity_lines, path_lines
from treegraph.query.graph_settings import GraphReadSettings
from treegraph.query.graph_view import EntityReader
from treegraph.query.graph_view_path import PathView, between

STAFF = "class-of-staff"
SAID = (
    Said("A relief valve (RV) protects the pump.", "relief valve", aliases=["RV"],
         states=[("relief valve", "protects", "pump", "")]),
    Said("The pump feeds the boiler only while the gate is open.", "pump",
         states=[("pump", "feeds", "boiler", "only while the gate is open")]),
    Said("The boiler heats the hall.", "boiler", states=[("boiler", "heats", "hall", "")]),
    Said("The hall and the tower were built together.", "hall", names=["tower"]),
    Said("A lone lamp.", "lamp"),
    Said("Check it every month.", "relief valve"),
    Said("The pump stops the alarm.", "pump", states=[("pump", "stops", "alarm", "")], document="secret"),
)  # fmt: skip


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallGraph]:
    built = build(tmp_path_factory.mktemp("views"), SAID, {"secret": STAFF})
    yield built
    built.close()


def reader(small: SmallGraph, access: Access | None = None) -> EntityReader:
    return EntityReader(small.graph, small.vectors, small.documents, access or Access())


def path(small: SmallGraph, first: str, second: str, access: Access | None = None) -> PathView:
    held = access or Access()
    return between(first, second, small.graph, reader(small, held), held, GraphReadSettings())


def test_an_entity_shows_what_is_stated_of_it_with_conditions_and_pages(small: SmallGraph) -> None:
    view = reader(small).view("pump")
    feeds = next(stated for stated in view.relations if stated.type == "feeds")
    assert (feeds.direction, feeds.other.name) == ("out", "boiler")
    assert feeds.evidence[0].condition == "only while the gate is open"
    assert feeds.evidence[0].citation.pages == (2,)
    protects = next(stated for stated in view.relations if stated.type == "protects")
    assert (protects.direction, protects.other.name) == ("in", "relief valve")
    assert view.relation_count == 3
    few = EntityReader(small.graph, small.vectors, small.documents, Access(), most=1).view("pump")
    assert (len(few.relations), few.relation_count, len(few.chunks)) == (1, 3, 1)
    assert {"  and 2 more relations", "  and 2 more"} <= set(entity_lines(few))
    assert {citation.pages for citation in view.chunks} == {(1,), (2,), (7,)}


def test_an_alias_and_an_id_lead_to_the_same_entity(small: SmallGraph) -> None:
    by_name, by_alias = reader(small).view("Relief Valve"), reader(small).view("RV")
    assert by_name == by_alias == reader(small).view(by_name.entity.id)
    assert "RV" in {by_name.entity.name, *by_name.entity.aliases}


def test_what_is_written_exactly_as_asked_comes_first(small: SmallGraph, tmp_path: Path) -> None:
    graph = Graph().chunk("c").chunk("d").says("c", "one", "Mode").says("d", "one", "Mode")
    graph.says("c", "two", "MODE").says("c", "three", "modus", "mode")
    store = SqliteGraphStore(tmp_path / "graph.db")
    publish(store, 1, None, graph)
    with closing(store), closing(store.read(1)) as snapshot:
        found = EntityReader(snapshot, small.vectors, small.documents, Access())
        assert [entity.name for entity in found.find("MODE")] == ["MODE", "Mode", "mode"]
        assert found.find("Mode")[0].name == "Mode"
        assert found.find("mode")[0].name == "mode"


def test_the_views_lines_and_values_say_the_same(small: SmallGraph) -> None:
    view = reader(small).view("boiler")
    data, lines = view.to_json(), "\n".join(entity_lines(view))
    assert data["relations"][0]["evidence"][0]["citation"]["source"] == "manual.pdf"
    assert "boiler -[heats]-> hall" in lines
    assert "pump -[feeds]-> boiler" in lines
    assert "condition: only while the gate is open" in lines
    assert "manual.pdf p. 2" in lines


def test_an_unknown_name_gets_the_nearest_ones(small: SmallGraph) -> None:
    with pytest.raises(ConfigurationError, match="relief valve"):
        reader(small).view("releif valve")
    with pytest.raises(ConfigurationError, match="there is relief valve"):
        reader(small).view("valve")
    with pytest.raises(ConfigurationError, match=r"'rel'$"):
        reader(small).view("rel")
    for unlike in ("zzz", "lampshade factory", "PUMPERNICKEL"):
        with pytest.raises(ConfigurationError, match=f"no entity is called '{unlike}'$"):
            reader(small).view(unlike)
    with pytest.raises(ConfigurationError, match=r"'x{80}'\.\.\.$"):
        reader(small).view("x" * 9000)


def test_a_path_is_read_in_its_direction_and_backwards_where_there_is_no_other(small: SmallGraph) -> None:
    there = path(small, "relief valve", "hall")
    assert [step.entity.name for step in there.steps] == ["pump", "boiler", "hall"]
    assert {step.direction for step in there.steps} == {"out"}
    assert there.steps[1].condition == "only while the gate is open"
    back = path(small, "hall", "relief valve")
    assert [step.entity.name for step in back.steps] == ["boiler", "pump", "relief valve"]
    assert {step.direction for step in back.steps} == {"in"}
    assert "<-[heats]- boiler" in "\n".join(path_lines(back))


def test_what_is_named_together_joins_where_nothing_is_stated(small: SmallGraph) -> None:
    together = path(small, "tower", "hall")
    assert [(step.direction, step.entity.name) for step in together.steps] == [("both", "hall")]
    assert together.steps[0].citation is not None
    assert together.steps[0].citation.pages == (4,)
    assert [step["kind"] for step in together.to_json()["path"]] == ["entity", "relation", "entity"]


def test_things_that_one_chunk_names_are_joined_by_it_however_often_each_is_named(tmp_path: Path) -> None:
    often = [
        Said(f"{name} and part {n} are here.", name, names=["part of it"])
        for name in ("harbour", "lantern")
        for n in range(15)
    ]
    built = build(tmp_path, [*often, Said("A quay.", "quay", names=["harbour", "lantern"])])
    found = path(built, "harbour", "lantern")
    built.close()
    assert [(step.entity.name, step.direction) for step in found.steps] == [("lantern", "both")]
    assert found.steps[0].citation is not None
    assert found.steps[0].citation.pages == (31,)


def test_what_nothing_joins_has_no_path(small: SmallGraph) -> None:
    alone = path(small, "lamp", "pump")
    assert alone.steps == ()
    assert path_lines(alone) == ["no path of at most 4 steps from lamp to pump"]
    assert (alone.to_json()["path"], alone.to_json()["complete"]) == ([], True)
    held, late = Access(), GraphReadSettings(time_limit=1e-9)
    cut = between("hall", "pump", small.graph, reader(small), held, late)
    assert (cut.steps, cut.to_json()["complete"]) == ((), False)
    assert path_lines(cut)[0].endswith("the time was up before all was looked at")
    with pytest.raises(ConfigurationError, match="the same entity"):
        path(small, "RV", "relief valve")


def test_a_reader_sees_only_what_their_evidence_says(small: SmallGraph) -> None:
    public = Access(classes=(PUBLIC,))
    shown = reader(small, public).view("pump")
    assert "alarm" not in str(shown.to_json())
    assert shown.relation_count == 2
    assert shown.entity.mentions == reader(small).view("pump").entity.mentions - 1
    for hidden in ("alarm", small.entity("alarm")):
        with pytest.raises(ConfigurationError):
            reader(small, public).view(hidden)
    with pytest.raises(ConfigurationError) as raised:
        reader(small, public).view("alarms")
    assert "there is" not in str(raised.value)
    with pytest.raises(ConfigurationError):
        reader(small, Access(classes=())).view("pump")

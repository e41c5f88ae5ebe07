"""What every graph store promises. An adapter's tests subclass :class:`GraphStoreContract` and override
``opened``."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import ClassVar

import pytest
from graph_model import Arrays, Reading, arrays
from graph_rows import Graph, manual, publish, relation_ids, uid, uids, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from treegraph.indexer.errors import StoreInconsistent
from treegraph.indexer.stores.graph_ports import GraphSnapshot, GraphStore, Slip
from treegraph.indexer.stores.graph_rows import KINDS, EntityRow, GraphKind, MentionRow
from treegraph.indexer.stores.ports import Filter
from treegraph.indexer.types import Entity

Open = Callable[[str], GraphStore]
"""Opens the store of the index of that name once more, as another process would."""

EVERY = Filter()
PUBLIC = Filter(classes=["public"])
FILTERS = [
    EVERY,
    PUBLIC,
    Filter(classes=[]),
    Filter(classes=["public", "secret"]),
    Filter(documents=uids("d1")),
    Filter(documents=uids("d1", "d3", "nowhere")),
    Filter(not_documents=uids("d2")),
    Filter(not_documents=[]),
    Filter(classes=["public"], not_documents=uids("d1")),
    Filter(classes=["secret"], documents=uids("d2", "d3")),
]
ODD = {
    "quotes": "a'b\"c`d\\e",
    "cypher": "x'}) DETACH DELETE n //",
    "sql": "x'); DROP TABLE mentions; --",
    "fts": 'NEAR("a" OR b*) AND NOT -c: ^d + (e',
    "long": "long name " * 1000,
    "newlines": "two\nlines\r\tand a tab",
    "cjk": "内存管理单元",
    "hangul": "명령어 집합",
    "emoji": "🦩 flamingo",
    "accents": "Ångström-Müller",
    "blank": " ",
    "percent": "100%_done",
    "null byte": "nul\x00byte",
    "surrogate": "half\ud83dpair",
}


@contextmanager
def read(store: GraphStore, generation: int) -> Iterator[GraphSnapshot]:
    with closing(store.read(generation)) as snapshot:
        yield snapshot


def agree(snapshot: GraphSnapshot, graph: Graph, where: Filter, limits: tuple[int, ...] = (2, 1000)) -> None:
    """The snapshot answers everything as the rows say, for this reader."""
    wanted = Reading(graph, where)
    entities = sorted({row.entity for row in graph.mentions()}) + uids("nobody")
    chunks = sorted(row.chunk for row in graph.places()) + uids("nothing")
    forms = [*sorted(Reading(graph, EVERY).forms()), "nobody"]
    assert snapshot.counts(where) == wanted.counts()
    assert snapshot.entities(entities[::-1], where) == wanted.entities(entities[::-1])
    assert snapshot.named(forms, where) == wanted.named(forms)
    assert snapshot.mentions(chunks[::2], where) == wanted.mentions(chunks[::2])
    assert arrays(snapshot.whole(where)) == wanted.whole()
    for entity in entities:
        assert snapshot.relation_count(entity, where) == len(wanted.relations([entity], "both", 1000))
    for limit in limits:
        asked = entities[: limit + 1]
        assert snapshot.mentioning(asked, where, limit) == wanted.mentioning(asked, limit)
        for direction in ("out", "in", "both"):
            found = snapshot.relations(asked, where, direction, limit)
            assert found == wanted.relations(asked, direction, limit)
        assert arrays(snapshot.subgraph(asked, chunks[1:2], where, limit)) == wanted.subgraph(
            asked, chunks[1:2], limit
        )
        for level in (None, 0, 1):
            found = snapshot.communities(where, level=level, limit=limit)
            assert found == wanted.communities(None, None, level, limit)
        assert snapshot.communities(where, entities=asked) == wanted.communities(None, asked, None, 1000)
    assert snapshot.between(entities[::2], entities, where) == wanted.between(entities[::2], entities)


class GraphStoreContract:
    """Every test of it passes against every adapter."""

    examples: ClassVar[int] = 25
    """How many random histories are tried."""
    many: ClassVar[int] = 40_000
    """A long list: longer than what SQLite takes as values of a statement."""

    @pytest.fixture
    def opened(self) -> Open:
        raise NotImplementedError("the adapter's tests say how its store is opened")

    @pytest.fixture
    def store(self, opened: Open) -> Iterator[GraphStore]:
        with closing(opened("index")) as store:
            yield store

    @pytest.fixture
    def snapshot(self, store: GraphStore) -> Iterator[GraphSnapshot]:
        """The small manual, published as generation 1."""
        publish(store, 1, None, manual())
        with read(store, 1) as snapshot:
            yield snapshot

    # --- reading ---------------------------------------------------------------------------------------

    @pytest.mark.parametrize("where", FILTERS, ids=range(len(FILTERS)))
    def test_every_reading_is_as_the_rows_say(self, snapshot: GraphSnapshot, where: Filter) -> None:
        agree(snapshot, manual(), where)

    def test_rows_are_stored_as_they_were_put(self, store: GraphStore) -> None:
        publish(store, 1, None, manual())
        publish(store, 2, 1, manual().without("c1"))
        for generation, graph in ((1, manual()), (2, manual().without("c1"))):
            with read(store, generation) as snapshot:
                for kind in KINDS:
                    stored = list(snapshot.stored(kind))
                    assert {one.row.key: one.row for one in stored} == graph.rows[kind]
                    assert all(one.digest == one.row.digest for one in stored)
                assert list(snapshot.slips()) == []
        assert list(store.unneeded([1, 2], 2)) == []
        assert list(store.unneeded([2], 2)) != [], "rows that ended are there until they are forgotten"

    def test_a_row_that_is_not_trusted_is_put_anew_for_later_readers_alone(self, store: GraphStore) -> None:
        publish(store, 1, None, manual())
        rows = {kind: next(iter(manual().rows[kind].values())) for kind in KINDS}
        store.distrust([Slip(kind, row.key, "is doubted") for kind, row in rows.items()])
        publish(store, 2, 1, manual())
        for generation in (1, 2):
            with read(store, generation) as snapshot:
                agree(snapshot, manual(), EVERY)
        with read(store, 2) as snapshot:
            for kind in KINDS:
                assert all(one.digest == one.row.digest for one in snapshot.stored(kind))

    def test_a_snapshot_says_which_generation_it_is(self, snapshot: GraphSnapshot) -> None:
        assert snapshot.generation == 1

    def test_an_entity_is_described_by_its_mentions(self, snapshot: GraphSnapshot) -> None:
        (found,) = snapshot.entities(uids("SSE"), EVERY)
        aliases = ("Katmai", "Streaming SIMD Extensions")
        # "project" and "feature" are said once each, so the first in the alphabet stands
        assert found == Entity(uid("SSE"), "SSE", "feature", aliases, "Code name Katmai.", 4)

    def test_entities_come_in_the_order_asked_and_unknown_ones_are_left_out(
        self, snapshot: GraphSnapshot
    ) -> None:
        asked = uids("SSE", "nobody", "ADDPS", "SSE")
        assert [e.name for e in snapshot.entities(asked, EVERY)] == ["SSE", "ADDPS", "SSE"]

    def test_names_and_aliases_find_their_entities(self, snapshot: GraphSnapshot) -> None:
        asked = ["sse", "streaming simd extensions", "SSE", "nobody"]
        assert snapshot.named(asked, EVERY) == {"sse": uids("SSE"), asked[1]: uids("SSE")}

    def test_a_name_of_several_entities_gives_those_of_most_mentions_first(self, store: GraphStore) -> None:
        graph = Graph().chunk("c1").chunk("c2").chunk("c3")
        graph.says("c1", "CR (register)", "CR").says("c2", "CR (company)", "CR")
        publish(store, 1, None, graph.says("c3", "CR (company)", "Control Registers plc"))
        with read(store, 1) as snapshot:
            assert snapshot.named(["cr"], EVERY) == {"cr": uids("CR (company)", "CR (register)")}

    def test_mentions_of_an_entity_give_subjects_first_then_the_most_frequent(
        self, store: GraphStore
    ) -> None:
        graph = Graph()
        for at in range(6):
            role = "subject" if at == 2 else "mention"
            graph.chunk(f"c{at}").says(f"c{at}", "SSE", role=role, count=at + 1)
        publish(store, 1, None, graph)
        with read(store, 1) as snapshot:
            found = snapshot.mentioning(uids("SSE"), EVERY, 3)
        assert [m.chunk for m in found] == uids("c2", "c5", "c4")
        assert [m.role for m in found] == ["subject", "mention", "mention"]

    def test_relations_have_a_direction(self, snapshot: GraphSnapshot) -> None:
        def found(direction: str) -> set[str]:
            return {r.id for r in snapshot.relations(uids("SSE"), EVERY, direction)}  # type: ignore[arg-type]

        out = set(relation_ids(("SSE", "requires", "CR4.OSFXSR")))
        assert found("out") == out
        assert found("in") == {r for r in found("both") if r not in out}
        assert len(found("both")) == 4

    def test_evidence_comes_with_its_sentence_and_condition(self, snapshot: GraphSnapshot) -> None:
        (found,) = snapshot.between(uids("SSE"), uids("CR4.OSFXSR"), EVERY)
        (piece,) = found.evidence
        assert (piece.chunk, piece.document, piece.access) == (uid("c2"), uid("d1"), "public")
        assert piece.condition == "only if CR4.OSFXSR = 1"
        assert piece.sentence == "SSE requires CR4.OSFXSR (c2) only if CR4.OSFXSR = 1"
        assert snapshot.between(uids("CR4.OSFXSR"), uids("ADDPS"), EVERY) == []

    def test_a_relation_of_an_entity_to_itself_comes_once(self, store: GraphStore) -> None:
        graph = Graph().chunk("c").says("c", "GRUB")
        publish(store, 1, None, graph.relates("GRUB", "loads", "GRUB", "c"))
        with read(store, 1) as snapshot:
            assert [r.type for r in snapshot.relations(uids("GRUB"), EVERY)] == ["loads"]
            assert arrays(snapshot.whole(EVERY)).relations == [(uid("GRUB"), uid("GRUB"), 1.0)]
            assert arrays(snapshot.subgraph(uids("GRUB"), [], EVERY, 5)).relations != []

    def test_communities_by_id_by_member_and_by_level(self, snapshot: GraphSnapshot) -> None:
        def titles(**asked: object) -> list[str]:
            return [c.title for c in snapshot.communities(EVERY, **asked)]  # type: ignore[arg-type]

        assert titles() == ["Vectors", *sorted(["Emulation", "Hidden"], key=uid), "All"]
        assert titles(ids=uids("All", "Emulation", "unknown")) == ["Emulation", "All"]
        assert titles(entities=uids("CR0.EM")) == ["Emulation", "All"]
        assert titles(entities=uids("CR0.EM", "SSE"), level=0) == ["Vectors", "Emulation"]
        assert titles(ids=uids("Vectors"), entities=uids("CR0.EM")) == []
        assert titles(level=7) == []
        assert titles(limit=1) == ["Vectors"]
        (found,) = snapshot.communities(EVERY, ids=uids("Vectors"))
        assert found.parent == uid("All")
        assert found.report == "Report of Vectors."
        assert found.chunks == tuple(uids("c1", "c2"))
        assert found.members == tuple(sorted(uids("ADDPS", "SSE", "CR4.OSFXSR")))

    def test_what_is_around_an_entity(self, snapshot: GraphSnapshot) -> None:
        found = arrays(snapshot.subgraph(uids("ADDPS"), [], PUBLIC, 10))
        assert found.chunks == uids("c1")
        assert found.entities == {uid("ADDPS"): 1, uid("SSE"): 3}
        assert sorted(found.mentions) == sorted(
            [(uid("c1"), uid("ADDPS"), 1, True), (uid("c1"), uid("SSE"), 3, False)]
        )
        assert found.relations == [(uid("ADDPS"), uid("SSE"), 1.0)]
        assert (found.total, found.whole) == (4, False)

    def test_what_is_around_a_chunk(self, snapshot: GraphSnapshot) -> None:
        found = arrays(snapshot.subgraph([], uids("c2", "silent", "s2", "unknown"), PUBLIC, 10))
        assert found.chunks == sorted(uids("c2", "silent"))
        assert set(found.entities) == set(uids("SSE", "CR4.OSFXSR"))
        assert found.relations == [(uid("SSE"), uid("CR4.OSFXSR"), 1.0)]

    def test_a_subgraph_that_leaves_nothing_out_says_so(self, snapshot: GraphSnapshot) -> None:
        chunks = uids("c1", "c2", "c3", "s1", "s2", "silent")
        assert arrays(snapshot.subgraph([], chunks, EVERY, 10)) == arrays(snapshot.whole(EVERY))
        assert not snapshot.subgraph([], chunks[:-1], EVERY, 10).whole
        assert not snapshot.subgraph(uids("SSE"), chunks, EVERY, 3).whole

    def test_a_hub_is_cut_at_the_limit(self, store: GraphStore) -> None:
        graph = Graph()
        for at in range(60):
            graph.chunk(f"c{at}").says(f"c{at}", "hub", count=1 + at % 7).says(f"c{at}", f"e{at}")
            graph.relates(f"e{at}", "uses", "hub", *[f"c{n}" for n in range(at % 3 + 1)])
        publish(store, 1, None, graph)
        with read(store, 1) as snapshot:
            for limit in (1, 7, 59, 60):
                wanted = Reading(graph, EVERY).subgraph(uids("hub"), [], limit)
                assert arrays(snapshot.subgraph(uids("hub"), [], EVERY, limit)) == wanted
                assert wanted.whole == (limit == 60)
                assert wanted.entities[uid("hub")] == 60
            assert len(snapshot.mentioning(uids("hub", "e1"), EVERY, 4)) == 5
            assert len(snapshot.relations(uids("hub"), EVERY, "in", 4)) == 4

    def test_names_that_look_alike_are_found(self, store: GraphStore) -> None:
        graph = Graph().chunk("c")
        names = ["max-old-space-size", "max-semi-space-size", "page fault", "page table", "CR4.OSFXSR"]
        for name in [*names, "内存管理单元", "명령어 집합", "Flamingo", "AX"]:
            graph.says("c", name)
        publish(store, 1, None, graph)
        with read(store, 1) as snapshot:
            alike = {form: snapshot.alike(form, EVERY, 3) for form in
                     ["max-old-space-size", "max old space size", "page faults", "osfxsr", "内存", "명령어",
                      "flamngo", "ax", "内存管理"]}  # fmt: skip
            assert snapshot.alike("qqqqqq", EVERY, 3) == []
            assert snapshot.alike("", EVERY, 3) == []
            assert snapshot.alike("page", EVERY, 1)[0].startswith("page")
        assert {form: found[0] for form, found in alike.items()} == {
            "max-old-space-size": "max-old-space-size",
            "max old space size": "max-old-space-size",
            "page faults": "page fault",
            "osfxsr": "cr4.osfxsr",
            "内存": "内存管理单元",
            "명령어": "명령어 집합",
            "flamngo": "flamingo",
            "ax": "ax",
            "内存管理": "内存管理单元",
        }
        assert all(len(found) <= 3 for found in alike.values())

    def test_nothing_asked_is_nothing_found(self, snapshot: GraphSnapshot) -> None:
        assert snapshot.entities([], EVERY) == []
        assert snapshot.named([], EVERY) == {}
        assert snapshot.mentions([], EVERY) == []
        assert snapshot.mentioning([], EVERY, 5) == []
        assert snapshot.relations([], EVERY) == []
        assert snapshot.between([], uids("SSE"), EVERY) == []
        assert snapshot.communities(EVERY, ids=[]) == []
        assert snapshot.communities(EVERY, entities=[]) == []
        assert arrays(snapshot.subgraph([], [], EVERY, 5)) == Arrays({}, [], [], [], 6, False)

    def test_unknown_ids_are_not_there(self, snapshot: GraphSnapshot) -> None:
        for odd in ["", "x", "' OR 1=1 --", "\x00", "half\ud83dpair", "💥" * 5000, "null"]:
            assert snapshot.entities([odd], EVERY) == []
            assert snapshot.mentions([odd], EVERY) == []
            assert snapshot.mentioning([odd], EVERY, 5) == []
            assert snapshot.relations([odd], EVERY) == []
            assert snapshot.relation_count(odd, EVERY) == 0
            assert snapshot.between([odd], [odd], EVERY) == []
            assert snapshot.communities(EVERY, ids=[odd]) == []
            assert snapshot.named([odd], EVERY) == {}
            assert snapshot.subgraph([odd], [odd], EVERY, 5).entities == ()

    def test_an_empty_graph_is_a_graph(self, store: GraphStore) -> None:
        publish(store, 1, None, Graph())
        with read(store, 1) as snapshot:
            for where in FILTERS:
                agree(snapshot, Graph(), where)
            assert snapshot.alike("anything", EVERY, 5) == []

    @pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
    def test_odd_names_are_names_like_any_other(self, store: GraphStore, odd: str) -> None:
        graph = Graph().chunk("c").chunk("other")
        graph.says("c", "odd", odd, type=odd, description=odd).says("other", "even")
        graph.relates("odd", odd, "even", ("c", odd), description=odd)
        graph.community(odd, ["odd"], ["c"])
        publish(store, 1, None, graph)
        with read(store, 1) as snapshot:
            assert snapshot.entities(uids("odd"), EVERY) == [Entity(uid("odd"), odd, odd, (), odd, 1)]
            assert snapshot.named([odd.casefold(), "even"], EVERY) == {
                odd.casefold(): uids("odd"),
                "even": uids("even"),
            }
            (found,) = snapshot.relations(uids("even"), EVERY)
            assert (found.type, found.description, found.evidence[0].condition) == (odd, odd, odd)
            assert [c.title for c in snapshot.communities(EVERY)] == [odd]
            assert "even" not in snapshot.alike(odd.casefold(), EVERY, 5)
        with closing(store.write(2, 1)) as writer:
            assert writer.live("mention") == graph.digests("mention"), "nothing was dropped or injected"

    # --- access ----------------------------------------------------------------------------------------

    def test_nothing_of_unreadable_evidence_comes_out(self, store: GraphStore) -> None:
        canary = "zanzibar"
        graph = manual()
        graph.chunk("s3", "d2", "secret")
        for entity in ("SSE", canary):
            graph.says("s3", entity, canary, f"{canary} sse", type=canary, count=99, description=canary,
                       role="subject")  # fmt: skip
        graph.relates("ADDPS", "requires", "SSE", "c1", "s1", ("s3", canary), description=canary)
        graph.relates("SSE", canary, "ADDPS", ("s3", canary), description=canary)
        graph.community(canary, ["SSE", "ADDPS"], ["c1", "s3"])
        publish(store, 1, None, graph)
        ids = [row.id for row in graph.rows["entity"].values() if isinstance(row, EntityRow)]
        chunks = [place.chunk for place in graph.places()]
        for where in (PUBLIC, Filter(documents=uids("d1")), Filter(not_documents=uids("d2", "d3"))):
            with read(store, 1) as snapshot:
                said = [
                    snapshot.entities(ids, where),
                    snapshot.named([canary, f"{canary} sse"], where),
                    snapshot.alike(canary, where, 50) + snapshot.alike(f"{canary} sse", where, 50),
                    snapshot.mentions(chunks, where) + snapshot.mentioning(ids, where, 50),
                    snapshot.relations(ids, where) + snapshot.between(ids, ids, where),
                    snapshot.communities(where),
                ]
                assert canary not in repr(said)
                assert uid(canary) not in repr((said, snapshot.whole(where)))
                (sse,) = snapshot.entities(uids("SSE"), where)
                assert sse.mentions == len(Reading(graph, where).named_by[uid("SSE")])
                (stated,) = snapshot.between(uids("ADDPS"), uids("SSE"), where)
                assert (stated.weight, stated.description) == (1.0, "")
                around = arrays(snapshot.subgraph(uids("SSE"), chunks, where, 50))
                assert around == Reading(graph, where).subgraph(uids("SSE"), chunks, 50)

    def test_a_relations_description_rests_on_all_of_its_evidence(self, snapshot: GraphSnapshot) -> None:
        def described(where: Filter) -> list[str]:
            return [r.description for r in snapshot.between(uids("ADDPS"), uids("SSE"), where)]

        assert described(EVERY) == ["Both manuals say so."]
        assert described(Filter(classes=["secret", "public"])) == ["Both manuals say so."]
        assert described(PUBLIC) == [""]

    def test_a_community_needs_all_of_its_documents_and_classes(self, snapshot: GraphSnapshot) -> None:
        def titles(where: Filter) -> set[str]:
            return {c.title for c in snapshot.communities(where)}

        assert titles(PUBLIC) == {"Vectors", "Emulation"}
        assert titles(Filter(documents=uids("d1", "d2"))) == {"Vectors", "Emulation"}
        assert titles(Filter(documents=uids("d1"))) == {"Vectors"}
        assert titles(Filter(not_documents=uids("d2"))) == {"Vectors", "Hidden"}
        assert titles(Filter(classes=[])) == set()
        assert snapshot.counts(PUBLIC)["community"] == 2

    def test_long_lists_of_documents_are_a_filter_too(self, snapshot: GraphSnapshot) -> None:
        many = [str(uuid.UUID(int=n)) for n in range(self.many)]
        agree(snapshot, manual(), Filter(documents=[*many, *uids("d1", "d2")]), limits=(5,))
        agree(snapshot, manual(), Filter(not_documents=[*many, *uids("d1")]), limits=(5,))
        assert snapshot.entities([*many, *uids("SSE")], EVERY)[0].name == "SSE"
        assert snapshot.relations([*many, *uids("SSE")], EVERY, "out")[0].source == uid("SSE")

    # --- generations -----------------------------------------------------------------------------------

    def test_two_generations_are_read_while_a_third_is_written(self, store: GraphStore) -> None:
        first = manual()
        second = first.without("c1", "s2").chunk("new").says("new", "AVX", "AVX", "Katmai")
        third = second.without("c3").says("new", "SSE").says("c2", "SSE", "S.S.E.", count=4)
        publish(store, 1, None, first)
        publish(store, 2, 1, second)
        with read(store, 1) as old, read(store, 2) as young:
            for batch in (1, 3):
                write(store, 3, 2, third, batch)
                for where in (EVERY, PUBLIC):
                    agree(old, first, where)
                    agree(young, second, where)
            publish(store, 3, 2, third)
            agree(old, first, EVERY)
            agree(young, second, EVERY)
            with read(store, 3) as newest:
                agree(newest, third, EVERY)
                agree(newest, third, PUBLIC)

    def test_threads_share_a_snapshot(self, store: GraphStore) -> None:
        graph = manual()
        publish(store, 1, None, graph)
        with read(store, 1) as snapshot, ThreadPoolExecutor(4) as pool:
            work = [pool.submit(agree, snapshot, graph, where, (5,)) for where in FILTERS * 2]
            write(store, 2, 1, graph.without("c1"))
            for each in work:
                each.result()

    def test_a_writer_sees_what_its_generation_holds(self, store: GraphStore) -> None:
        graph = manual()
        publish(store, 1, None, graph)
        less = graph.without("s1")
        with closing(store.write(2, 1)) as writer:
            assert writer.generation == 2
            assert {kind: writer.live(kind) for kind in KINDS} == {k: graph.digests(k) for k in KINDS}
            write(store, 2, 1, less)
            assert {kind: writer.live(kind) for kind in KINDS} == {k: less.digests(k) for k in KINDS}

    def test_a_writer_says_which_entities_it_touched(self, store: GraphStore) -> None:
        graph = manual()
        with closing(store.write(1, None)) as writer:
            assert writer.touched() == set()
        publish(store, 1, None, graph)
        with closing(store.write(1, None)) as writer:
            assert writer.touched() == {row.entity for row in graph.mentions()}
        with closing(store.write(2, 1)) as writer:
            assert writer.touched() == set()
            writer.put("relation", list(graph.rows["relation"].values()))
            assert writer.touched() == set(), "what stays as it is is not touched"
        changed = graph.copy().says("c3", "CR0.EM", "EM")
        changed.relates("ADDPS", "uses", "CR4.OSFXSR", "s1")
        write(store, 2, 1, changed.without("s2"))
        with closing(store.write(2, 1)) as writer:
            assert writer.touched() == set(uids("CR0.EM", "ADDPS", "CR4.OSFXSR", "Katmai-2"))
        write(store, 2, 1, graph)
        with closing(store.write(2, 1)) as writer:
            assert writer.touched() == set(), "what is as it was is not touched"

    def test_a_writer_reads_its_communities_whole(self, store: GraphStore) -> None:
        graph = manual()
        publish(store, 1, None, graph)
        changed = graph.copy().community("Vectors", ["SSE"], ["c2", "s1"]).without("c3")
        write(store, 2, 1, changed)
        with closing(store.write(2, 1)) as writer:
            assert writer.communities() == [row for _, row in sorted(changed.rows["community"].items())]

    def test_a_generation_without_a_base_begins_empty(self, store: GraphStore) -> None:
        publish(store, 1, None, manual())
        new = Graph().chunk("c1").says("c1", "SSE", "sse")
        with closing(store.write(2, None)) as writer:
            assert {kind: dict(writer.live(kind)) for kind in KINDS} == {kind: {} for kind in KINDS}
        write(store, 2, None, new)
        with closing(store.write(2, None)) as writer:
            assert writer.live("mention") == new.digests("mention"), "a second writer goes on"
        publish(store, 2, None, new)
        with read(store, 1) as old, read(store, 2) as young:
            agree(old, manual(), EVERY)
            agree(young, new, EVERY)

    def test_putting_twice_is_putting_once(self, store: GraphStore) -> None:
        graph = manual()
        for _ in range(2):
            with closing(store.write(1, None)) as writer:
                for kind in KINDS:
                    rows = list(graph.rows[kind].values())
                    writer.put(kind, rows)
                    writer.put(kind, [*rows, *rows[:2]])
                writer.seal(graph.counts())
        with read(store, 1) as snapshot:
            agree(snapshot, graph, EVERY)
        publish(store, 2, 1, graph)
        assert store.forget([2], None) == 0, "no row was written anew"

    def test_the_last_of_two_rows_under_one_key_stands(self, store: GraphStore) -> None:
        first, last = Graph().chunk("c").says("c", "SSE", "x"), Graph().chunk("c").says("c", "SSE", "y")
        with closing(store.write(1, None)) as writer:
            for kind in KINDS:
                writer.put(kind, [*first.rows[kind].values(), *last.rows[kind].values()])
            writer.seal(last.counts())
        with read(store, 1) as snapshot:
            agree(snapshot, last, EVERY)
            assert snapshot.alike("x", EVERY, 5) == []

    def test_a_row_that_changes_there_and_back_is_as_it_was(self, store: GraphStore) -> None:
        graph = manual()
        changed = manual().says("c1", "SSE", "Streaming", count=8)
        changed.relates("SSE", "requires", "CR4.OSFXSR", "c1", "c2")
        changed.community("Vectors", ["SSE"], ["c2"])
        publish(store, 1, None, graph)
        for state in (changed, graph.without("c1", "c2"), changed, graph, changed.without("c3"), graph):
            write(store, 2, 1, state, batch=2)
            with closing(store.write(2, 1)) as writer:
                assert {kind: writer.live(kind) for kind in KINDS} == {k: state.digests(k) for k in KINDS}
            with read(store, 1) as snapshot:
                agree(snapshot, graph, EVERY)
        publish(store, 2, 1, graph)
        with read(store, 2) as snapshot:
            agree(snapshot, graph, EVERY)
        assert store.forget([2], None) == 0, "nothing was left of the detour"

    def test_a_row_comes_back_in_a_later_generation(self, store: GraphStore) -> None:
        graph = manual()
        less = graph.without("c1", "s1")
        for generation, state in enumerate([graph, less, graph, less, graph], 1):
            publish(store, generation, generation - 1 or None, state)
        for generation, state in enumerate([graph, less, graph, less, graph], 1):
            with read(store, generation) as snapshot:
                agree(snapshot, state, EVERY)

    def test_ending_what_is_not_there_is_nothing(self, store: GraphStore) -> None:
        graph = manual()
        publish(store, 1, None, graph)
        with closing(store.write(2, 1)) as writer:
            for kind in KINDS:
                writer.end(kind, [])
                writer.end(kind, ["unknown", f"{uid('a')} {uid('b')}", "' OR 1=1 --"])
                writer.put(kind, [])
            writer.seal(graph.counts())

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_count_that_differs_is_inconsistent(self, store: GraphStore, kind: GraphKind) -> None:
        graph = manual()
        write(store, 1, None, graph)
        with closing(store.write(1, None)) as writer:
            for wrong in (1, -1):
                with pytest.raises(StoreInconsistent, match=kind):
                    writer.seal({**graph.counts(), kind: graph.counts()[kind] + wrong})
            writer.seal(graph.counts())

    def test_an_unfinished_generation_goes_on(self, opened: Open) -> None:
        graph, second = manual(), manual().without("c2").chunk("new").says("new", "AVX")
        with closing(opened("index")) as store:
            publish(store, 1, None, graph)
            with closing(store.write(2, 1)) as writer:
                writer.put("chunk", list(second.rows["chunk"].values()))
                writer.put("mention", list(second.rows["mention"].values())[-1:])
        with closing(opened("index")) as store:
            publish(store, 2, 1, second)
            with read(store, 2) as snapshot:
                agree(snapshot, second, EVERY)

    # --- forgetting ------------------------------------------------------------------------------------

    def test_forgetting_erases_what_only_dropped_generations_need(self, store: GraphStore) -> None:
        states = [manual(), manual().without("c1"), manual().without("c1", "s1")]
        for generation, state in enumerate(states, 1):
            publish(store, generation, generation - 1 or None, state)
        assert store.forget([2, 3], None) > 0
        assert store.forget([2, 3], None) == 0
        for generation in (2, 3):
            with read(store, generation) as snapshot:
                agree(snapshot, states[generation - 1], EVERY)
        publish(store, 4, 3, manual())
        with read(store, 4) as snapshot:
            agree(snapshot, manual(), EVERY)

    def test_forgetting_returns_how_many_rows_went(self, store: GraphStore) -> None:
        publish(store, 1, None, manual())
        publish(store, 2, 1, Graph())
        assert store.forget([2], None) == sum(manual().counts().values())
        assert store.forget([1, 2], None) == 0

    def test_a_rollback_lets_the_next_build_start_there(self, store: GraphStore) -> None:
        first, second, third = manual(), manual().without("c1"), manual().without("c1", "c2", "s1")
        publish(store, 1, None, first)
        publish(store, 2, 1, second)
        publish(store, 3, 2, third)
        assert store.forget([1], 1) > 0
        with read(store, 1) as snapshot:
            agree(snapshot, first, EVERY)
        with closing(store.write(4, 1)) as writer:
            assert writer.live("mention") == first.digests("mention")
        publish(store, 4, 1, second)
        for generation, state in ((1, first), (4, second)):
            with read(store, generation) as snapshot:
                agree(snapshot, state, EVERY)

    def test_unfinished_work_is_forgotten(self, store: GraphStore) -> None:
        publish(store, 1, None, manual())
        write(store, 2, 1, manual().without("c1").chunk("new").says("new", "AVX"))
        assert store.forget([1], None) > 0
        with read(store, 1) as snapshot:
            agree(snapshot, manual(), EVERY)
        with closing(store.write(2, 1)) as writer:
            assert writer.live("mention") == manual().digests("mention")

    def test_forgetting_before_anything_was_written(self, store: GraphStore) -> None:
        assert store.forget([], 0) == 0
        assert store.forget([1], None) == 0
        publish(store, 1, None, manual())

    def test_erasing_erases_everything_of_this_index_alone(self, opened: Open) -> None:
        with closing(opened("one")) as one, closing(opened("two")) as two:
            publish(one, 1, None, manual())
            publish(two, 1, None, manual())
            one.erase()
            one.erase()
            with closing(one.write(1, None)) as writer:
                assert {kind: dict(writer.live(kind)) for kind in KINDS} == {kind: {} for kind in KINDS}
            publish(one, 1, None, Graph().chunk("c").says("c", "SSE"))
            with read(one, 1) as first, read(two, 1) as second:
                agree(first, Graph().chunk("c").says("c", "SSE"), EVERY)
                agree(second, manual(), EVERY)

    def test_indexes_do_not_see_each_other(self, opened: Open) -> None:
        other = Graph().chunk("c1").says("c1", "SSE", "Something else").says("c1", "Zebra")
        other.relates("SSE", "requires", "Zebra", "c1").community("Vectors", ["SSE"], ["c1"])
        with closing(opened("one")) as one, closing(opened("two")) as two:
            publish(one, 1, None, manual())
            publish(two, 1, None, other)
            publish(one, 2, 1, manual().without("c1"))
            with read(one, 2) as first, read(two, 1) as second:
                agree(first, manual().without("c1"), EVERY)
                agree(second, other, EVERY)
                assert first.alike("zebra", EVERY, 5) == []
            assert one.forget([2], None) > 0
            with read(two, 1) as second:
                agree(second, other, EVERY)

    # --- random histories ------------------------------------------------------------------------------

    def test_any_history_reads_as_a_plain_model_does(self, opened: Open) -> None:
        @settings(
            max_examples=self.examples,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        )
        @given(seed=st.integers(0, 2**32), generations=st.integers(2, 4))
        def tried(seed: int, generations: int) -> None:
            with closing(opened(f"history-{seed}-{generations}")) as store:
                try:
                    _history(store, random.Random(seed), generations)
                finally:
                    store.erase()

        tried()


def _history(store: GraphStore, chance: random.Random, generations: int) -> None:
    """Random generations, each reached through random detours, read after each together with the last."""
    before, base = Graph(), None
    for generation in range(1, generations + 1):
        state = _changed(before, chance)
        for _ in range(chance.randrange(3)):
            write(store, generation, base, _changed(state, chance), batch=chance.choice([1, 3, 100]))
        publish(store, generation, base, state)
        where = chance.choice(FILTERS)
        with closing(store.write(generation, base)) as writer:
            assert {kind: writer.live(kind) for kind in KINDS} == {k: state.digests(k) for k in KINDS}
        for number, held in ((base, before), (generation, state)):
            if number is not None:
                with read(store, number) as snapshot:
                    agree(snapshot, held, where, limits=(chance.choice([1, 2, 50]),))
                    agree(snapshot, held, EVERY, limits=(chance.choice([1, 2, 50]),))
        if chance.random() < 0.3:
            store.forget([generation] if base is None else [base, generation], None)
        if base is not None and chance.random() < 0.2:  # rolled back
            store.forget([base], base)
        else:
            before, base = state, generation


def _changed(graph: Graph, chance: random.Random) -> Graph:
    """The graph with some chunks gone, some new, and some that say something else."""
    names = [f"c{n}" for n in range(8)]
    there = [name for name in names if uid(name) in graph.rows["chunk"]]
    state = graph.without(*[name for name in there if chance.random() < 0.3])
    state.rows["community"].clear()
    things = ["SSE", "AVX", "CR4", "内存", "x'y"]
    for name in chance.sample(names, 3):
        if uid(name) not in state.rows["chunk"]:
            place = chance.choice([("d1", "public"), ("d2", "public"), ("d2", "secret"), ("d3", "secret")])
            state.chunk(name, *place)
        for thing in chance.sample(things, 3):
            said = [thing, f"{thing} {chance.randrange(3)}", "shared"]
            state.says(name, thing, *chance.sample(said, chance.randrange(1, 4)),
                       role=chance.choice(["subject", "mention"]), count=chance.randrange(1, 4),
                       type=chance.choice(["", "unit", "bit"]),
                       description=chance.choice(["", name]))  # fmt: skip
    said_in: dict[str, list[str]] = {}
    called = {uid(name): name for name in names + things}
    for row in state.mentions():
        assert isinstance(row, MentionRow)
        said_in.setdefault(called[row.entity], []).append(called[row.chunk])
    for source, verb, target in [("SSE", "needs", "CR4"), ("CR4", "sets", "SSE"), ("AVX", "is", "AVX"),
                                 ("内存", "needs", "x'y"), ("SSE", "is", "CR4")]:  # fmt: skip
        both = sorted(set(said_in.get(source, [])) & set(said_in.get(target, [])))
        if both and chance.random() < 0.7:
            state.relates(source, verb, target, *chance.sample(both, chance.randrange(1, len(both) + 1)),
                          description=chance.choice(["", "said"]))  # fmt: skip
        else:
            state.rows["relation"].pop(uid(f"{source} {verb} {target}"), None)
    for level in range(2):
        members = sorted(said_in)[level::2]
        chunks = sorted({chunk for member in members for chunk in said_in[member]})
        if members:
            state.community(f"level {level}", members, chunks[:3], level)
    return state

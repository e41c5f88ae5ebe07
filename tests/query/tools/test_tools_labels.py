"""Nothing of what a reader may not see comes out of the tools: no text, id, name, title or count."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations

import pytest
from small_index import build, open_small
from small_plant import PLANT
from small_shelf import CALLS, HIDDEN, PLENTY, box, pages
from treegraph.query.index import Index

READERS: tuple[tuple[str, ...], ...] = ((), ("Staff", "unheard-of"))
SECRET = (
    *("CNRY", "CNRY-1.STATE", "CNRY-2", "Canary Titleword Handbook", "FAN-3"),
    *("shelf/cnryfile.md", "cnryfile.md"),
)


@pytest.fixture(scope="module")
def closed_ids(index: Index) -> list[str]:
    """The ids of all that the closed manual brought: its document, chunks, node, names and report."""
    (document,) = [each.id for each in index.documents.values() if each.source == "shelf/cnryfile.md"]
    names = [index.entity(name).entity.id for name in SECRET[:3]]
    groups = [group.id for name in SECRET[:3] for group in index.entity(name).communities]
    tree = index.tree("shelf/cnryfile.md", 5)
    return [document, *index.read(document).below, *names, *groups, *([tree.id] if tree.id else [])]


@pytest.mark.parametrize("reader", READERS)
def test_nothing_of_a_closed_document_comes_out(
    index: Index, closed_ids: list[str], reader: tuple[str, ...]
) -> None:
    tools = box(index, reader)
    calls = [(tool, arguments) for tool, arguments in CALLS]
    calls += [("read", {"id": name}) for name in (*closed_ids, *SECRET)]
    calls += [("outline", {"of": name, "detail": "text"}) for name in (*closed_ids, *SECRET)]
    calls += [("neighbours", {"entity": name}) for name in (*closed_ids, *SECRET, "Primary Feed Controller")]
    calls += [("path", {"from": name, "to": "Steam Outlet Gate"}) for name in SECRET]
    calls += [("path", {"from": "Primary Feed Controller", "to": "Steam Outlet Gate"})]
    calls += [
        ("search", {"question": f"what of {name}?", "route": route, "k": 100})
        for name in SECRET[:3]
        for route in ("auto", "tree", "graph")
    ]
    calls += [("documents", {"sources": ["*cnry*", "shelf/guide/*"]})]
    for tool, arguments in calls:
        cursor = ""
        while True:
            reply = tools.call(tool, {**arguments, "cursor": cursor})
            said = reply.text
            for asked in sorted((str(value) for value in arguments.values()), key=len, reverse=True):
                said = said.replace(asked, "")
            assert [word for word in (*HIDDEN, *closed_ids) if word in said] == [], (tool, arguments)
            if not (cursor := reply.document.get("more", "")):
                break


def test_the_staff_and_the_owner_see_the_closed_document(index: Index) -> None:
    for reader in (("staff",), None):
        tools = box(index, reader, PLENTY)
        (found,) = pages(tools, "documents")
        assert "shelf/cnryfile.md" in {each["source"] for each in found["documents"]}
        assert pages(tools, "neighbours", entity="CNRY-2")[0]["total"]
        assert "CNRYWORD" in pages(tools, "read", id="shelf/cnryfile.md")[0]["parts"][0]["text"]


LABELS = {"QXONE": (), "QXTWO": ("a",), "QXTHREE": ("b",), "QXFOUR": ("a", "b"), "QXFIVE": ("c", "a")}
"""A word for each document, which stands in its title, its sections, its names and its fields; its labels."""


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("marked")
    (folder / "m").mkdir()
    for word, labels in LABELS.items():
        (folder / "m" / f"{word.lower()}.md").write_text(
            f"# The {word} handbook\n\n## Use of {word}\n\nPUMP-12 uses {word}-7 only if {word}_ON = 1.\n\n"
            f"## Care for {word}\n\n{word}-7 requires GATE-3. PUMP-12 sets GATE-3 in {word}.\n"
        )
        (folder / "m" / f"{word.lower()}.md.meta.toml").write_text(
            f'labels = {list(labels)!r}\nedition = "of {word}"\nsite = "{word}"\n'.replace("'", '"')
        )
    build(folder / "index", folder / "m", config=PLANT)
    with open_small(folder / "index") as opened:
        yield opened


@pytest.mark.parametrize(
    "reader", [None, *chain.from_iterable(combinations("abc", size) for size in range(4))], ids=str
)
def test_a_reader_is_shown_their_documents_and_no_other(
    marked: Index, reader: tuple[str, ...] | None
) -> None:
    tools = box(marked, reader, PLENTY)
    shown = [
        tools.call(tool, arguments).text
        for tool, arguments in (
            ("documents", {}),
            ("outline", {"depth": 9, "detail": "text"}),
            ("search", {"question": "What does PUMP-12 use?", "k": 100}),
            ("search", {"question": "an overview of PUMP-12 and GATE-3", "route": "tree", "k": 100}),
            ("search", {"question": "What is between PUMP-12 and GATE-3?", "route": "graph", "k": 100}),
            ("neighbours", {"entity": "PUMP-12"}),
        )
    ]
    shown += [
        tools.call(tool, {name: f"{word[:3].lower()}"}).text
        for word in LABELS
        for tool, name in (("read", "id"), ("outline", "of"), ("neighbours", "entity"))
    ]
    may = {word for word, of in LABELS.items() if reader is None or not of or set(of) & set(reader)}
    for text in shown[:6]:
        assert {word for word in LABELS if word in text} == may
    for text in shown[6:]:
        assert {word for word in LABELS if word.lower() in text.lower()} <= may

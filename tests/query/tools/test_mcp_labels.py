"""Nothing of what a reader may not see comes out of the tools: no text, id, name, title or count."""

from __future__ import annotations

import pytest
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

"""The tree held against its chunks: every link leads somewhere, every chunk is beneath it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping

from ...indexer.digests import digest
from ...indexer.owed import owed_key
from ..growing import language_of
from .damage import Damage
from .holdings import Holdings, NodeRecord


def check_tree(held: Holdings, damage: Damage, last: bool) -> None:
    """What the ledger says of the tree of a generation, once ``held.places`` are known. ``last`` says that no
    later build has written: what a node is made of is noted for the newest alone."""
    if "tree" not in held.entry.structures:
        for node in held.nodes.values():
            damage.add(
                "node", "ledger", node.id, "a node of a tree that the generation does not hold", "grow"
            )
            damage.regrow = True
        return
    for name, what in _faults(held, last):
        damage.add("tree", "ledger", name, what, "grow")
        damage.regrow = True
        damage.nodes.update(node.key for node in held.nodes.values() if node.id == name)


def _faults(held: Holdings, last: bool) -> Iterator[tuple[str, str]]:
    nodes = {node.id: node for node in held.nodes.values()}
    if len(nodes) < len(held.nodes):
        twice = [name for name, n in Counter(node.id for node in held.nodes.values()).items() if n > 1]
        yield from ((name, "a node has two live rows") for name in twice)
    chunks = {marked.row.id: marked.row.document for marked in held.chunks.values()}
    yield from _links(held, nodes, chunks)
    if held.whole("tree"):
        yield from _reached(nodes, chunks)
        held_all = all(child in nodes or child in chunks for n in nodes.values() for child in n.children)
        if last and held_all:
            yield from _made(held, nodes, chunks)


def _links(
    held: Holdings, nodes: Mapping[str, NodeRecord], chunks: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    for node in nodes.values():
        if len(set(node.children)) < len(node.children) or not node.children:
            yield node.id, "a node has no child, or one of them twice"
        for child in node.children:
            if child not in nodes and child not in chunks:
                yield node.id, f"a node has a child {child} that is not there"
        below = [nodes[child].level for child in node.children if child in nodes]
        if node.level != 1 + max(below, default=0):
            yield node.id, f"a node of level {node.level} is over nodes of levels {sorted(below)}"
        beneath = {document for child in node.children for document in _documents(child, nodes, chunks)}
        if set(node.documents) != beneath and node.level == 1 + max(below, default=0):
            yield node.id, "a node says that other documents are beneath it"
        if node.document != (node.documents[0] if len(node.documents) == 1 else None) or node.drift < 0:
            yield node.id, "a node is of another document than it says"


def _documents(child: str, nodes: Mapping[str, NodeRecord], chunks: Mapping[str, str]) -> tuple[str, ...]:
    if child in nodes:
        return nodes[child].documents
    return (chunks[child],) if child in chunks else ()


def _reached(nodes: Mapping[str, NodeRecord], chunks: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Every chunk and node but the top is beneath another node."""
    if not nodes:
        if len(chunks) > 1:
            yield "", "there are chunks and no tree"
        return
    below = {child for node in nodes.values() for child in node.children}
    tops = sorted(nodes.keys() - below)
    if len(tops) != 1:
        yield from (
            (name, "a node beneath no other, and not the only one") for name in tops or sorted(nodes)[:1]
        )
    seen: set[str] = set()
    stack = tops[:]
    while stack:
        name = stack.pop()
        if name not in seen:
            seen.add(name)
            stack.extend(nodes[name].children if name in nodes else ())
    for name in sorted(nodes.keys() - seen):
        yield name, "a node beneath no top: it is beneath itself"
    for name in sorted(chunks.keys() - seen):
        yield name, "a chunk beneath no node"


def _made(
    held: Holdings, nodes: Mapping[str, NodeRecord], chunks: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Every node was made of just its children, as the digest says that was kept with it."""
    settings = _settings(held)
    writers = _writers(held, nodes, settings)
    leaves: dict[str, int] = {}
    for node in sorted(nodes.values(), key=lambda one: (one.level, one.id)):
        if any(child in nodes and child not in leaves for child in node.children):
            continue  # a loop, which is reported
        leaves[node.id] = sum(leaves.get(child, 1) for child in node.children)
        stated = [[nodes[c].said, leaves[c]] if c in nodes else c for c in node.children]
        documents = [held.documents[name].document for name in node.documents if name in held.documents]
        spoken = language_of(documents)
        tokens = settings.get("tokens")
        made = node.made.removeprefix(owed_key(""))
        if node.made_later:
            continue  # a later build, in which it came out the same of other things, noted those
        if writers and all(digest([writer, tokens, spoken, stated]) != made for writer in writers):
            yield node.id, "a node was made of other children than it has"


def _writers(held: Holdings, nodes: Mapping[str, NodeRecord], settings: Mapping[str, object]) -> list[str]:
    """What the summarizer of the tree may have been called; none where a model wrote it, whose fallback the
    nodes need not name."""
    named = {node.by for node in nodes.values()}
    if settings.get("summary") == "extractive":
        return sorted(named)
    models = sorted(name for name in named if name.startswith("model("))
    plain = sorted(name for name in named if not name.startswith("model("))
    return [f"{model}/{fallback}" for model in models for fallback in plain]


def _settings(held: Holdings) -> dict[str, object]:
    """The settings that the tree was made with: JSON, and after it the model's name where one was asked."""
    try:
        settings, _ = json.JSONDecoder().raw_decode(held.entry.models.get("tree", "{}"))
    except ValueError:
        return {}
    return settings if isinstance(settings, dict) else {}

"""What a verification gathers: findings for people, and for a repair what each of them takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ...indexer.stores.graph_ports import Slip
from ...indexer.stores.ledger_rows import ChunkRow
from .finding import Finding, Mend, Store


@dataclass(frozen=True, slots=True)
class Proven:
    """A row of the ledger's chunks that the key of its vector row proves, as ``generation`` holds that."""

    row: ChunkRow
    since: int
    until: int
    generation: int


@dataclass(slots=True)
class Damage:
    """Findings, each once, and by their kind what a repair needs to know.

    ``chunks`` are keys of chunk rows that must be written anew, ``documents`` ids of documents whose rows of
    the ledger must, ``sources`` files to be read again. ``strays`` are keys in the vector store that belong
    to nothing. ``nodes`` are keys of node rows to be made again, ``regrow`` says that the tree's shape is not
    to be trusted. ``graph`` are its rows to be made again, ``extractions`` keys of what is to be read again.
    ``tables`` are (table, key column, key) of rows of the ledger that are to go, ``unended`` of such that
    no generation ended.
    """

    findings: dict[tuple[str, str, str], Finding] = field(default_factory=dict)
    chunks: set[str] = field(default_factory=set)
    documents: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)
    strays: set[str] = field(default_factory=set)
    nodes: set[str] = field(default_factory=set)
    regrow: bool = False
    graph: list[Slip] = field(default_factory=list)
    graph_lost: bool = False
    extractions: set[str] = field(default_factory=set)
    proven: dict[str, Proven] = field(default_factory=dict)
    tables: set[tuple[str, str, str]] = field(default_factory=set)
    unended: set[tuple[str, str, str]] = field(default_factory=set)
    counts: dict[int, Mapping[str, int]] = field(default_factory=dict)
    generation: int = 0

    def add(
        self,
        kind: str,
        store: Store,
        name: str,
        what: str,
        mend: Mend = "none",
        source: str = "",
        pages: tuple[int, int] | None = None,
    ) -> None:
        """Note a finding; one that was found in another generation already is the same."""
        key = (kind, store, name)
        known = self.findings.get(key)
        seen = (self.generation,) if self.generation else ()
        if known is None:
            self.findings[key] = Finding(kind, store, name, what, mend, source, pages, seen)
        elif not set(seen) <= set(known.generations):
            self.findings[key] = replace(known, generations=(*known.generations, *seen))

    def forget_unsettled(self) -> None:
        """Take back what may be the doing of a run that wrote meanwhile: that things belong to nothing, and
        what is said of extractions, which are kept of the newest generation alone."""
        passing = ("sweep", "extract")
        self.findings = {key: one for key, one in self.findings.items() if one.mend not in passing}

    @property
    def listed(self) -> list[Finding]:
        """All findings, by store, kind and id."""
        return sorted(self.findings.values(), key=lambda one: (one.store, one.kind, one.id))

"""What a verification finds, and what is to be done about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Store = Literal["manifest", "ledger", "vectors", "graph", "images", "folder"]
Mend = Literal["embed", "read", "grow", "graph", "extract", "restore", "sweep", "correct", "none"]
"""How a finding is mended: by embedding a text again, reading a document again, growing the tree's nodes
again, making the graph's rows again, reading a chunk for it again, writing back a row of the ledger as its
key proves it to have been, sweeping away what belongs to nothing, counting again; or not at all."""

REMEDIES: Mapping[Mend, str] = {
    "embed": "its text is there: it is embedded again into a new generation",
    "read": "its document is read again, from its file if that is there unchanged, else by the next build",
    "grow": "the nodes of the tree are made again into a new generation",
    "graph": "the rows of the graph are made again from what was found in the chunks",
    "extract": "the chunk is read again for the graph",
    "restore": "its row of the ledger is written back, which its key proves",
    "sweep": "it is taken away: nothing belongs to it",
    "correct": "it is set to what is there",
    "none": "it cannot be derived: restore the index from a copy, or build it anew from its sources",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it must be.

    ``kind`` is a few words that findings are counted by (``row lost``), ``what`` the whole of it. ``id``
    names the row in its store, ``source`` and ``pages`` where it comes from, where that is known.
    ``generations`` are those that it was found in.
    """

    kind: str
    store: Store
    id: str
    what: str
    mend: Mend = "none"
    source: str = ""
    pages: tuple[int, int] | None = None
    generations: tuple[int, ...] = ()

    @property
    def derived(self) -> bool:
        """Whether it can be mended from what else the index and its sources hold."""
        return self.mend != "none"

    @property
    def remedy(self) -> str:
        """What mends it, in words."""
        return REMEDIES[self.mend]

    def to_json(self) -> dict[str, Any]:
        """As the outside contract shows it."""
        return {
            "kind": self.kind,
            "store": self.store,
            "id": self.id,
            "what": self.what,
            "derived": self.derived,
            "mend": self.mend,
            "remedy": self.remedy,
            "source": self.source or None,
            "pages": None if self.pages is None else list(self.pages),
            "generations": list(self.generations),
        }


@dataclass(slots=True)
class Verification:
    """What was looked at and what was found.

    ``checked`` counts rows by what they are, ``unchecked`` says what could not be compared and why.
    ``mended`` are findings that a repair has done away with, ``generation`` the one that it published, if it
    needed one; ``findings`` is what is left.
    """

    index: str
    generations: list[int] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    mended: list[Finding] = field(default_factory=list)
    checked: dict[str, int] = field(default_factory=dict)
    unchecked: list[str] = field(default_factory=list)
    generation: int | None = None
    deep: bool = False
    seconds: float = 0.0

    @property
    def sound(self) -> bool:
        """Whether nothing is left to be found."""
        return not self.findings

    def to_json(self) -> dict[str, Any]:
        """The verification under the outside contract (``"schema": 1``)."""
        return {
            "schema": 1,
            "index": self.index,
            "sound": self.sound,
            "generations": self.generations,
            "deep": self.deep,
            "checked": self.checked,
            "unchecked": self.unchecked,
            "findings": [finding.to_json() for finding in self.findings],
            "mended": [finding.to_json() for finding in self.mended],
            "generation": self.generation,
            "seconds": round(self.seconds, 3),
        }

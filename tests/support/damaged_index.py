"""An index with everything in it that can be damaged, and what it answers."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import treegraph
from hash_embedder import FakeHashEmbedder
from pictured_manual import write_manual
from small_guide import write_guide
from small_index import build
from small_plant import PLANT, write_plant
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.stores.ports import Filter
from treegraph.pipelines.verification.finding import Verification
from treegraph.pipelines.verification.verify import verify

YARD = replace(
    PLANT,
    load=replace(PLANT.load, keep_images=True),
    graph_read=replace(PLANT.graph_read, time_limit=60.0),  # a server that plans its first question is late
)
INDEX_ID = "5a1d0c3e-1f0b-4b7e-9a57-3f2b7c9d1e44"
QUESTIONS = (
    ("What does the Ring Pressure Monitor require?", "graph"),
    ("Which step turns the gasket of the valve?", "hybrid"),
    ("What is there on the valve as a whole?", "tree"),
    ("While which lamp does the gate stay shut?", "hybrid"),
    ("What does CR1.RUN have to do with the Vacuum Line Sensor?", "graph"),
)
Rng = random.Random
Harm = Callable[[Path, Rng], None]


@dataclass(frozen=True, slots=True)
class Corruption:
    """A way to damage an index. ``derived`` says that a repair mends all of it; ``deep`` that only a deep
    look can find it."""

    name: str
    harm: Harm
    derived: bool = True
    deep: bool = False


def write_yard(folder: Path) -> Path:
    """The sources: manuals with and without pages, a picture, a labelled manual."""
    folder.mkdir(parents=True)
    write_guide(folder, "valve", "filter")
    write_plant(folder, 1, 2, 3)
    write_manual(folder / "gate.pdf")
    (folder / "unit3.md.meta.toml").write_text('labels = ["staff"]\n', "utf-8")
    return folder


def make_yard(home: Path) -> Path:
    """Sources in ``yard``, and the index over them in ``index``, of two generations."""
    write_yard(home / "yard")
    write_plant(home / "yard", 2, edition=1)
    build(home / "index", home / "yard", config=YARD, index_id=INDEX_ID)
    write_plant(home / "yard", 2)
    build(home / "index", home / "yard", config=YARD)
    return home


def look(index: Path, **options: Any) -> Verification:
    """Verify with the fake encoder."""
    return verify(index, config=YARD, embedder=FakeHashEmbedder(), **options)


def answers(index: Path) -> list[Any]:
    """What the index answers to the questions, to its owner and to the public."""
    found: list[Any] = []
    with treegraph.open_index(index, config=YARD, embedder=FakeHashEmbedder()) as opened:
        for question, route in QUESTIONS:
            for labels in (None, []):
                result = opened.search(question, k=12, route=route, labels=labels)
                assert result.degraded == ()
                hits = result.hits
                found.append([(hit.id, hit.kind, hit.text, round(hit.score, 4), _cited(hit)) for hit in hits])
    return found


def reports(index: Path) -> list[Any]:
    """The communities of the published generation, with their reports."""
    with (
        closing(IndexFolder.open(index)) as folder,
        closing(folder.graph()) as store,
        closing(store.read(published(index))) as snapshot,
    ):
        held = snapshot.communities(Filter())
    return sorted((one.level, one.members, one.title, one.report, one.documents) for one in held)


def published(index: Path) -> int:
    """The published generation."""
    with closing(IndexFolder.open(index)) as folder:
        number = folder.manifest().published
    assert number is not None
    return number


def _cited(hit: treegraph.Hit) -> list[Any]:
    return [(one.source, one.pages, one.chunk) for one in hit.citations]

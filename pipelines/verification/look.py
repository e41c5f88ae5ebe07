"""One look at an index: all checks, over the generations that are kept."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...indexer.errors import Cancelled, GenerationGone, StoreError
from ...indexer.stores.folder import IndexFolder
from ...indexer.stores.ledger_history import RunHistory
from ...indexer.stores.ledger_runs import RunLog
from ...indexer.stores.locks import leased_generations, take_lease, writer
from ...indexer.stores.manifest import Manifest
from ...indexer.stores.ports import VectorSnapshot
from ...indexer.words import WordEncoder
from ..events import Listener
from ..leaves import kept_vectors
from ..loading_models import Models
from .damage import Damage
from .extraction_rows import check_extractions
from .files import check_folder, check_images, check_index_id, check_manifest, kept_generations
from .finding import Verification
from .graph_rows import GraphCheck
from .holdings import Holdings, holdings
from .ledger_rows import check_ledger, check_marks
from .servers import check_servers
from .tree_nodes import check_tree
from .vector_rows import check_vectors
from .vectors import VectorCheck

if TYPE_CHECKING:
    from ...indexer.models.ports import Vectors


@dataclass(slots=True)
class Look:
    """One look at an index. ``deep`` asks the embedder; ``alone`` says that the caller is its only writer."""

    folder: IndexFolder
    models: Models
    deep: bool
    listen: Listener
    cancel: threading.Event
    alone: bool = False
    _checked: dict[str, int] = field(default_factory=dict)
    _unchecked: list[str] = field(default_factory=list)
    _generations: list[int] = field(default_factory=list)

    def run(self) -> Damage:
        """What is wrong. Raises Cancelled."""
        damage, folder = Damage(), self.folder
        with _leased(folder) as manifest:
            last = RunHistory(folder.ledger).last_number()
            running = RunLog(folder.ledger).running()
            idle = running is None and (self.alone or writer(folder.path) is None)
            check_manifest(folder, manifest, damage)
            check_folder(folder, manifest, idle, damage)
            self._generations = kept_generations(manifest)
            leased = [g for g in leased_generations(folder.path) if g in manifest.generations]
            keep = sorted({*self._generations, *leased, *manifest.generations})
            newest = max([manifest.newest, RunLog(folder.ledger).newest(), *keep])
            check_marks(folder, keep, newest, idle, damage)
            kept = kept_vectors(folder.path)
            looked = [self._generation(g, manifest, damage, kept, idle) for g in self._generations]
            damage.generation = 0
            self._count("pictures", check_images(folder, looked, damage))
            if looked:
                check_index_id(folder, manifest, damage)
                if idle and newest == manifest.published:  # else they are those of another generation
                    check_extractions(folder, looked[0], damage)
            self._graph_store(keep, newest, idle, damage, looked)
            for other in check_servers(folder, keep, idle, damage):
                self._say(other)
            if not self.alone and last != RunHistory(folder.ledger).last_number():
                damage.forget_unsettled()
                self._say("what belongs to nothing, and extractions: a run wrote meanwhile")
        return damage

    def result(self, damage: Damage) -> Verification:
        """The verification of what :meth:`run` found."""
        return Verification(
            index=str(self.folder.path),
            generations=self._generations,
            findings=damage.listed,
            checked=self._checked,
            unchecked=self._unchecked,
            deep=self.deep,
        )

    def _generation(
        self, number: int, manifest: Manifest, damage: Damage, kept: Mapping[str, Vectors], idle: bool
    ) -> Holdings:
        """Look at one generation."""
        if self.cancel.is_set():
            raise Cancelled("stopped; nothing was changed")
        damage.generation = number
        held = holdings(self.folder, number, manifest.generations[number], damage)
        check = self._vector_check(held, damage, kept)
        self._count("rows", check_vectors(self.folder, held, damage, check, idle, self.listen))
        if check.unpaid:
            self._say("dense vectors of texts that a cap left no room to embed")
        check_ledger(self.folder, held, damage)
        check_tree(held, damage, last=idle and number == manifest.newest)
        with ExitStack() as stack:
            vectors = None
            try:
                store = stack.enter_context(closing(self.folder.vectors()))
                vectors = stack.enter_context(closing(store.read(number)))
            except (StoreError, GenerationGone):
                pass  # is reported as such
            counts = GraphCheck(self.folder, held, damage, vectors, self.listen).run()
            if self.deep and vectors is not None and held.whole("graph") and number == manifest.newest:
                self._graph_again(held, vectors, damage)
        for name, count in {
            "documents": len(held.documents), "pages": sum(map(len, held.pages.values())),
            "chunks": len(held.chunks), "nodes": len(held.nodes), "vectors compared": check.compared,
            **{f"graph {kind}": n for kind, n in counts.items()},
        }.items():  # fmt: skip
            self._count(name, count)
        return held

    def _graph_again(self, held: Holdings, vectors: VectorSnapshot, damage: Damage) -> None:
        from .graph_again import check_again

        if not damage.graph_lost and not check_again(self.folder, held, vectors, damage):
            self._say("the graph with what was found in the chunks: not all of that is there")

    def _vector_check(self, held: Holdings, damage: Damage, kept: Mapping[str, Vectors]) -> VectorCheck:
        words = WordEncoder()
        sparse = words if held.entry.models.get("sparse") == words.name else None
        if sparse is None:
            self._say("sparse vectors: they were made by a model")
        embedder = self.models.embedder() if self.deep else None
        if embedder is not None and embedder.name != held.entry.models.get("embedder"):
            self._say(
                f"dense vectors: they were made by {held.entry.models.get('embedder')}, not {embedder.name}"
            )
            embedder = None
        elif embedder is None:
            self._say("dense vectors of nodes, and of chunks that the index keeps no copy of: --deep does")
        return VectorCheck(held, damage, kept, sparse, embedder)

    def _graph_store(
        self, keep: Sequence[int], newest: int, idle: bool, damage: Damage, looked: Sequence[Holdings]
    ) -> None:
        """What the graph's store keeps for no generation."""
        if not idle or damage.graph_lost or not any("graph" in held.entry.structures for held in looked):
            return
        with closing(self.folder.graph()) as store:
            for slip in store.unneeded(keep, newest):
                name = f"{slip.kind} {slip.key}"
                damage.add("ended row", "graph", name, f"{slip.key}: {slip.what}", "sweep")
                damage.graph.append(slip)

    def _count(self, name: str, count: int) -> None:
        self._checked[name] = self._checked.get(name, 0) + count

    def _say(self, what: str) -> None:
        if what not in self._unchecked:
            self._unchecked.append(what)


@contextmanager
def _leased(folder: IndexFolder) -> Iterator[Manifest]:
    """The manifest, with the generations that are looked at kept from being collected meanwhile."""
    while True:
        manifest = folder.manifest()
        leases = [take_lease(folder.path, number) for number in kept_generations(manifest)]
        try:
            if all(lease.generation in folder.manifest().generations for lease in leases):
                yield manifest
                return
        finally:
            for lease in leases:
                lease.release()

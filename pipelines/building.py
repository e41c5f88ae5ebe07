"""One build: on which generation it stands, what it goes on with, and how it is published."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING

from ..indexer.errors import StoreInconsistent
from ..indexer.redaction.finder import redactor_for
from ..indexer.stores.folder import IndexFolder
from ..indexer.stores.ledger_readings import ReadingLedger
from ..indexer.stores.ledger_runs import LedgerCallCache, RunLog
from ..indexer.stores.manifest import Manifest
from .accounts import Accounts
from .config import Config
from .engines.engine import Engine
from .engines.local import LocalEngine
from .events import Event, Listener
from .generation import GenerationBuilder
from .generation_store import GenerationStore
from .graph_counts import graph_counts
from .graph_stage import GraphStage
from .kept_readings import redact_kept
from .leaves import LeafRows, load_leaves
from .loading_models import Models
from .opening import check_models
from .owed import EMBED, GRAPH, TREE, OwedNote, write_note
from .page_readers import PageReaders
from .page_reading import PagePictures
from .recording import current_run
from .report import BuildReport
from .situating import Situating
from .stage_clock import StageClock
from .tree_stage import TreeStage
from .unpublished import erase_unpublished

if TYPE_CHECKING:
    from ..indexer.models.ports import Embedder, SparseEncoder
    from .batching import Batches

_REDACTED = "redacted readings"
Work = Callable[[GenerationBuilder], None]


class Build:
    """The state of one build. Making one changes nothing; :meth:`run` does.

    ``scope`` says what is being built: work that was cut short is gone on with only under the same scope
    and the same models. ``without`` names structures that are left as they are; ``only_held`` leaves
    out all that the index does not have. ``again`` names structures that are not what the published
    generation says of them: they are made again, and the generation is published. ``reembed`` has all that
    the index holds embedded by the models of this build. ``engine`` computes, where that is not to be this
    process alone. ``h`` is the generation being built, ``state`` the one to compare with until :meth:`run`
    begins.
    """

    def __init__(
        self,
        folder: IndexFolder,
        scope: str,
        config: Config,
        models: Models,
        listen: Listener,
        cancel: threading.Event,
        without: Collection[str] = (),
        only_held: bool = False,
        again: Collection[str] = (),
        reembed: bool = False,
        engine: Engine | None = None,
    ) -> None:
        folder.ledger.complete()
        self.engine = engine or LocalEngine()
        self.folder = folder
        self.config = config
        self.models = models
        self.listen = listen
        self.cancel = cancel
        self.log = RunLog(folder.ledger)
        self.report = BuildReport()
        run = current_run()
        models.payments.keep_in(folder.ledger, run.number if run else None)
        self.run_id = run.id if run else None
        if run:
            self.report.run, run.report = run.id, self.report
        self.clock = StageClock()
        self.readers = PageReaders(config, models)
        self.again = frozenset(again)
        self.redactor = redactor_for(config.redact)
        manifest = folder.manifest()
        self.published = manifest.published
        self.reembeds = reembed and self._made_by_others(manifest)
        self._scope = f"{scope} {models.stamp}{' anew' if self.reembeds else ''}"
        self.log.settle_published(manifest.generations)
        running = self.log.running()
        self.resumed = bool(running and (running.base, running.scope) == (self.published, self._scope))
        self._settled = False
        self._leaf_rows: LeafRows | None = None
        self._tree = TreeStage(self, wanted="tree" not in without, only_held=only_held)
        self._graph = GraphStage(self, wanted="graph" not in without, only_held=only_held)
        self._newest = max(manifest.newest, self.log.newest())
        self.h = running.generation if running and self.resumed else self._newest + 1
        self.accounts = Accounts(folder, self.h, self.log, self.report)

    @property
    def state(self) -> int:
        """The generation whose documents the sources are compared with."""
        return self.h if self.resumed else self.published or 0

    @property
    def owes_structures(self) -> bool:
        """Whether a structure that is wanted is missing, behind, or made otherwise than it is asked for."""
        return self._tree.owed or self._graph.owed

    @property
    def asks_llm_of_chunks(self) -> bool:
        """Whether a language model situates chunks, or reads them for the graph."""
        return "model" in (self.config.context.by, self.config.graph.extract)

    @property
    def foreign(self) -> list[str]:
        """The structures that were made otherwise than this build would make them."""
        return [name for name, stage in ((TREE, self._tree), (GRAPH, self._graph)) if stage.foreign]

    def settle(self) -> None:
        """Make ledger and store of work that was cut short agree. Needed before sources are compared."""
        if not self.resumed or self._settled:
            return
        builder = self._builder()
        try:
            builder.store.settle()
        finally:
            builder.close()
        self._settled = True

    def check_configured_models(self) -> None:
        """Refuse models other than the index's, also where nothing is to be embedded.

        They are loaded only if the configuration names them otherwise than at the last build.
        """
        entry = self.folder.manifest().generations.get(self.published or 0)
        if entry is not None and entry.models.get("configured") != self.models.stamp:
            self.encoders()

    def run(self, work: Work) -> None:
        """Let ``work`` write the generation, and publish it if it differs from the last."""
        self._tree.prepare()
        self._graph.prepare()
        self._begin()
        builder = self._builder()
        began = time.monotonic()
        try:
            work(builder)
            self.report.seconds["index"] = time.monotonic() - began
            builder.drop_unfinished()
            self._tree.run(builder)
            self._graph.run(builder)
            if self._differs():
                self._publish(builder)
            else:
                self.log.drop(self.h)
                builder.close()
                erase_unpublished(self.folder, self.published or 0)
        except StoreInconsistent:
            builder.close()
            erase_unpublished(self.folder, self.published or 0)
            raise
        finally:
            builder.close()
            self._count(builder)

    def _count(self, builder: GenerationBuilder) -> None:
        self.report.embedded, self.report.reused = builder.embedded, builder.reused
        self.report.seconds.update(self.clock.seconds)
        self.report.cpu_seconds.update(self.clock.cpu_seconds)
        self.clock.trace()
        if (embedding := self.models.payments.embedding) is not None:
            self.accounts.count_models(EMBED, embedding.taken())

    def finish(self, roots: Collection[str] = ()) -> BuildReport:
        """The report, with what the published generation holds now, and what of ``roots`` is unchanged."""
        report = self.report
        held = report.generation or self.published
        if held is not None:
            told = {*report.added, *report.changed, *report.renamed}
            published_now = report.generation is not None  # and told of then
            documents = self.folder.ledger.documents(held) if published_now else self.accounts.hold(held)
            ours = (row.document.source for row in documents if row.root in roots)
            report.unchanged = [source for source in ours if source not in told]
        if report.generation is None:  # else the graph's own stage has counted
            for name, count in graph_counts(self.folder, held).items():
                setattr(report, name, count)
        self.models.payments.settle_embedding(report.owed.get(EMBED, 0))
        return report

    def leaf_rows(self, builder: GenerationBuilder) -> LeafRows:
        """The chunks that the generation holds now that all documents are in: fetched once, for every
        structure over them."""
        if self._leaf_rows is None:
            keys = sorted(self.folder.ledger.live_keys(builder.h, "chunks"))
            self._leaf_rows = load_leaves(self.folder.path, keys, builder.store.fetch)
        return self._leaf_rows

    def situating(self) -> Situating:
        """What cuts and situates documents in this build."""
        from ..indexer.models.tokenizer import load_tokenizer

        tokenizer = load_tokenizer(self.config.chunk.tokenizer)
        cache = LedgerCallCache(self.folder.ledger)
        return Situating(self.config, tokenizer, self.models, cache, self.cancel, self.redactor)

    def readings(self) -> ReadingLedger:
        """What was read of pages from their pictures, brought to today's redaction."""
        known = ReadingLedger(self.folder.ledger)
        if self.redactor is not None and self.folder.ledger.note(_REDACTED) != self.redactor.name:
            known.rewrite(partial(redact_kept, redactor=self.redactor))
            self.folder.ledger.set_note(_REDACTED, self.redactor.name)
        return known

    def pictures(self) -> PagePictures:
        """What reads pages from their pictures in this build."""
        return PagePictures(
            self.readers, self.readings(), self.clock, self.listen, self.cancel, self.redactor
        )

    def collect(self, batches: Batches | None) -> None:
        """Take what came back of ``batches``, and have the language model's calls go into new ones."""
        if batches is not None:
            self.report.add(batches.collect(), "degraded")
            self.models.payments.use_batches(batches)

    def submit_batch(self, stage: str) -> None:
        """Hand over the calls that a stage put into a batch, and report those that were not."""
        self.report.add(self.models.payments.submit(stage), "degraded")

    def _made_by_others(self, manifest: Manifest) -> bool:
        """Whether the published generation was embedded by other models than this build's."""
        entry = manifest.generations.get(manifest.published or 0)
        if entry is None:
            return False
        named = {"embedder": self.models.embedder().name, "sparse": self.models.sparse().name}
        return any(entry.models.get(role) != name for role, name in named.items())

    def _builder(self) -> GenerationBuilder:
        store = GenerationStore(self.folder, self.h, self.published, self.encoders, self.clock)
        if self.reembeds:
            store.start_anew()
        return GenerationBuilder(self.folder, store, self.config.embed.batch, self.cancel, self.clock)

    def _begin(self) -> None:
        """Go on with the work that was cut short, or clear away what is not published and start anew."""
        if self.resumed:
            self.settle()
            return
        if self._newest > (self.published or 0):
            erase_unpublished(self.folder, self.published or 0)
        self.log.start(self.h, self.published, self._scope)

    def _differs(self) -> bool:
        """Whether the generation holds anything else than the one before."""
        if self.published is None or self.again or self._tree.restated or self._graph.restated:
            return True
        rows = self.folder.ledger.rows
        touched = "SELECT 1 FROM {} WHERE since = ? OR until = ? LIMIT 1"
        return any(
            rows(touched.format(table), self.h, self.h) for table in ("files", "documents", "chunks", "nodes")
        )

    def _publish(self, builder: GenerationBuilder) -> None:
        self.listen(Event("publish", 0, 1, "generations"))
        kept = self.folder.manifest().generations
        note = OwedNote(self._graph.owing.now, self._tree.provisional | self._graph.owing.provisional)
        write_note(self.folder.ledger, self.h, note, kept)
        configured = {"configured": self.models.stamp, **self._tree.made, **self._graph.made}
        builder.store.publish(configured, {"hybrid": self.h, **self._tree.whole_in, **self._graph.whole_in})
        self.report.generation = self.h
        self.accounts.compare(self.published)
        self.accounts.hold(self.h)
        self._count(builder)
        self.log.finish(self.h, self.report.to_json())
        self.listen(Event("publish", 1, 1, "generations"))

    def encoders(self) -> tuple[Embedder, SparseEncoder]:
        """Both encoders, checked against those that the index was made with, but where all is embedded anew.
        Raises IndexIncompatible."""
        embedder, sparse = self.engine.encoders(self)
        if self.reembeds:
            return embedder, sparse
        names = {"embedder": embedder.name, "sparse": sparse.name}
        check_models(self.folder.manifest(), names, embedder.dimension)
        return embedder, sparse

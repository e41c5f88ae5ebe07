"""The graph in a build: whether it is due, making it, or leaving it behind."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING

from ..indexer.digests import canonical_json
from ..indexer.errors import ConfigurationError, ModelUnavailable, StoreError, StoreInconsistent
from ..indexer.graph.assembly import ExtractedChunk
from ..indexer.graph.extraction import Extractor
from ..indexer.graph.reports import Texts
from ..indexer.stores.graph_ports import GraphStore
from ..indexer.stores.ledger_extractions import ExtractionLedger
from ..indexer.stores.ledger_runs import LedgerCallCache
from ..indexer.stores.ports import Filter
from ..indexer.tree.summarizer import Summarizer
from ..indexer.types import Community
from .chunk_texts import ChunkTexts
from .extracting import ChunkReader, chunk_reader
from .generation import GenerationBuilder
from .graph_damage import erase, require_readable, take_back
from .graph_making import GraphMaker
from .graph_owed import GraphOwed
from .graph_published import EDITS, EXTRACTOR, PublishedGraph, edits_of
from .model_counts import ModelCounts
from .owed import GRAPH, REPORTS

if TYPE_CHECKING:
    from .building import Build
    from .config import Config
    from .loading_models import Models

COMMUNITIES = "communities"
"""What a build is to find again, where the communities that are stored are not to be gone on with."""
_READ_BY = "graph read by"
"""The note that names the extractor whose extractions the ledger holds."""
_ALL = 1_000_000_000


def asked(config: Config, models: Models) -> str:
    """How a graph is to be made, as the manifest says it of one that was."""
    settings = config.graph
    llm = models.llm_asked if "model" in (settings.extract, settings.report) else ""
    return f"{canonical_json(asdict(settings))} {llm}".strip()


class GraphStage:
    """What a build does about the graph. ``wanted`` False leaves it as it is, less what rests on chunks
    that are gone or changed; so does ``only_held`` where the index has none, or has one that was made
    otherwise than this build would make it. ``owing`` is what it owes."""

    def __init__(self, build: Build, wanted: bool, only_held: bool) -> None:
        self._build = build
        self._before = PublishedGraph(build.folder, build.published)
        self._only_held = only_held
        kept = not self._before.exists or self._before.held or GRAPH in build.again
        self._wanted = wanted and (not only_held or kept)
        self._asked = asked(build.config, build.models)
        self._edits = edits_of(build.folder)
        self._parts: tuple[Extractor, Summarizer] | None = None
        self._whole = False
        self._owes = False
        self.owing = GraphOwed(build.folder.ledger, build.published)
        self._lost = False
        self._reason = ""

    @property
    def foreign(self) -> bool:
        """Whether the published graph was made with other settings or by another model than this build's."""
        return self._wanted and self._before.asked not in (None, self._asked)

    @property
    def owed(self) -> bool:
        """Whether a graph is wanted that the published generation does not hold whole, or not so made, or
        with extractions or reports that a model may make now."""
        return self._amiss or (self._wanted and self.owing.any_before and self._upgrade)

    @property
    def _amiss(self) -> bool:
        if not self._wanted or not self._before.exists:
            return False
        return GRAPH in self._build.again or not self._before.is_as(self._asked, self._edits)

    @property
    def _upgrade(self) -> bool:
        """Whether the model is asked again for what it could not be asked for: not where documents alone are
        put in or taken out."""
        return not self._only_held and self._build.models.payments.may_pay

    @property
    def restated(self) -> bool:
        """Whether something else is to be said of the graph than before. Where its store failed and nothing
        else changed, the generation before stays."""
        return self._whole and (self._owes or self.owing.other)

    @property
    def made(self) -> dict[str, str]:
        """How the graph of the generation being built was made, for its entry in the manifest."""
        if self._whole and self._parts is not None:
            return {
                GRAPH: self._asked,
                EXTRACTOR: self._parts[0].name,
                EDITS: self._edits.to_json(),
            }
        return {} if self._lost else self._before.made

    @property
    def whole_in(self) -> dict[str, int]:
        """The generation that the graph was last whole in; nothing where there is none."""
        if self._whole:
            return {GRAPH: self._build.h}
        before = self._before.whole_in
        return {} if before is None or self._lost else {GRAPH: before}

    def prepare(self) -> None:
        """Find out before anything is read whether the graph can be made at all. Raises ConfigurationError
        and ModelUnavailable, but where the build is for something else than the graph."""
        if not self._wanted:
            return
        if self._only_held and self.foreign:
            self._reason = "it was made with other settings of [graph]"
            return
        build = self._build
        cache = LedgerCallCache(build.folder.ledger)
        try:
            self._parts = (
                build.models.extractor(cache, build.cancel),
                build.models.reporter(cache, build.cancel),
            )
        except (ConfigurationError, ModelUnavailable) as error:
            if not self._only_held:
                raise
            self._reason = str(error)

    def run(self, builder: GenerationBuilder) -> None:
        """Make the graph over the chunks that the generation now holds, or end what rests on lost ones.

        A store that fails takes the graph out of the generation, and nothing else: the next build makes it.
        """
        if self._parts is None and not self._before.held:
            self._keep_living(builder)
            return
        self._owes = self._amiss
        try:
            with self._build.clock.time(GRAPH, alone=True):
                self._make(builder)
        except StoreError as error:
            self._lost, self._reason = True, str(error)
        else:
            self._whole = self._parts is not None
        if self._reason:
            what = "graph not made" if self._lost else "graph left behind"
            self._build.report.add({f"{what}: {self._reason}": 1}, "degraded")

    def _keep_living(self, builder: GenerationBuilder) -> None:
        """Of a graph that was not finished, or lost, keep what was found in chunks that are still there."""
        ledger = self._build.folder.ledger
        if ExtractionLedger(ledger).known():
            chunk_reader(self._build, builder).forget_gone(ledger.note(_READ_BY) or "")

    def _make(self, builder: GenerationBuilder) -> None:
        build = self._build
        reader = chunk_reader(build, builder, self._upgrade)
        chunks, texts = self._read(reader), ChunkTexts(reader.rows, builder.store.fetch)
        build.submit_batch(GRAPH)
        for mend in (take_back, erase):
            try:
                self._store(builder, reader, chunks, texts)
                return
            except StoreInconsistent:
                if self._parts is None:
                    raise
                mend(build.folder, build.published or 0)
                self._before = PublishedGraph(build.folder, build.published)
        self._store(builder, reader, chunks, texts)

    def _store(
        self,
        builder: GenerationBuilder,
        reader: ChunkReader,
        chunks: Sequence[ExtractedChunk],
        texts: Texts,
    ) -> None:
        build = self._build
        with closing(build.folder.graph()) as store:
            if self._before.held:  # find out whether it is damaged before a missing file is made
                require_readable(build.folder, store, build.published or 0)
            if not build.resumed:  # what a rolled-back or abandoned build wrote is not this one's
                store.forget(sorted(build.folder.manifest().generations), build.published or 0)
            build.folder.note_graph(True)
            maker = self._maker(store, builder, texts)
            build.models.payments.hold(GRAPH)  # reports rest on what all chunks say
            try:
                maker.make(chunks)
            finally:
                maker.writer.close()
                build.accounts.count_models(REPORTS, maker.counts)
        build.submit_batch(REPORTS)
        self.owing.settle(builder.h, reader, maker, build.config.graph.report == "model")
        self._report(maker)

    def _read(self, reader: ChunkReader) -> list[ExtractedChunk]:
        """What the chunks say; of a graph that is left behind, those that it knows already."""
        if self._parts is None:
            return reader.known_by(self._before.extractor)
        self._build.folder.ledger.set_note(_READ_BY, self._parts[0].name)
        counts = ModelCounts()
        try:
            return reader.read(self._parts[0], counts)
        finally:
            self._build.accounts.count_models(GRAPH, counts)

    def _maker(self, store: GraphStore, builder: GenerationBuilder, texts: Texts) -> GraphMaker:
        from ..indexer.models.tokenizer import load_tokenizer
        from ..indexer.tree.extractive import ExtractiveSummarizer

        build = self._build
        tokenizer = load_tokenizer(build.config.chunk.tokenizer)
        return GraphMaker(
            writer=store.write(builder.h, builder.base),
            settings=build.config.graph,
            index_id=build.folder.manifest().index_id,
            edits=self._edits,
            summarizer=self._parts[1] if self._parts else ExtractiveSummarizer(tokenizer),
            tokenizer=tokenizer,
            texts=texts,
            before=self._communities(store, builder.base),
            listen=build.listen,
            cancel=build.cancel,
            upgrade=self._upgrade,
        )

    def _communities(self, store: GraphStore, base: int | None) -> Sequence[Community]:
        """Those of the generation before, where the graph was whole there and made just so."""
        before = self._before
        if base is None or before.whole_in != base or before.asked != self._asked or self.owing.provisional:
            return ()
        if COMMUNITIES in self._build.again:
            return ()
        if self._parts is not None and before.extractor != self._parts[0].name:
            return ()
        with closing(store.read(base)) as snapshot:
            return snapshot.communities(Filter(), limit=_ALL)

    def _report(self, maker: GraphMaker) -> None:
        report = self._build.report
        report.entities = maker.held["entity"]
        report.relations = maker.held["relation"]
        report.communities = maker.held["community"]
        report.add({k: n for k, n in maker.resolved.items() if k.startswith("dropped")}, "dropped")

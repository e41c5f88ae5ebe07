"""The tree in a build: whether it is due, growing it, or leaving it behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from ..indexer.digests import canonical_json
from ..indexer.errors import ConfigurationError, IndexIncompatible, ModelUnavailable
from ..indexer.stores.ledger_nodes import NodeLedger, NodeRow, skeleton_of
from ..indexer.stores.ledger_runs import LedgerCallCache
from ..indexer.tree.skeleton import Shape, Skeleton
from ..indexer.tree.summarizer import Summarizer
from .generation import GenerationBuilder
from .growing import TreeGrower
from .leaves import trim_leaves
from .node_writer import NodeWriter
from .owed import TREE, owes_chunks, read_note

if TYPE_CHECKING:
    from .building import Build


class TreeStage:
    """What a build does about the tree. ``wanted`` False leaves it as it is, less what rests on chunks
    that are gone or changed; so does ``only_held`` where the index has none, or has one that was made
    otherwise than this build would make it, and where no model is there to bring it up to date."""

    def __init__(self, build: Build, wanted: bool, only_held: bool) -> None:
        self._build = build
        self._nodes = NodeLedger(build.folder.ledger)
        self._entry = build.folder.manifest().generations.get(build.published or 0)
        self._only_held = only_held
        self._wanted = wanted and (not only_held or self._entry is None or TREE in self._entry.structures)
        self._asked = canonical_json(asdict(build.config.tree)) + (
            f" {build.models.llm_asked}" if build.config.tree.summary == "model" else ""
        )
        self._grown = False
        self._provisional = TREE in read_note(build.folder.ledger, build.published).provisional
        self._parts: tuple[Shape, Summarizer] | None = None
        self._reason = ""

    @property
    def foreign(self) -> bool:
        """Whether the published tree was made with other settings or by another model than this build's."""
        return self._wanted and self._made_before not in (None, self._asked)

    @property
    def owed(self) -> bool:
        """Whether a tree is wanted that the published generation does not hold whole, or not so made, or
        with summaries that a model may write now."""
        entry = self._entry
        if not self._wanted or entry is None:
            return False
        whole = entry.structures.get(TREE) == self._build.published
        if not whole or entry.models.get(TREE) != self._asked:
            return True
        return self._upgrade and self._nodes.owed(self._build.published or 0) > 0

    @property
    def _upgrade(self) -> bool:
        """Whether the model is asked again for what it could not be asked for: not where documents alone are
        put in or taken out."""
        return not self._only_held and self._build.models.payments.may_pay

    @property
    def restated(self) -> bool:
        """Whether something else is to be said of the tree than before: that it is whole, or how it was
        made."""
        return self._grown and (self._lost or self._made_before != self._asked)

    @property
    def made(self) -> dict[str, str]:
        """How the tree of the generation being built was made, for its entry in the manifest."""
        made = self._asked if self._grown else self._made_before
        return {} if made is None else {TREE: made}

    @property
    def whole_in(self) -> dict[str, int]:
        """The generation that the tree was last whole in; nothing where there is none."""
        if self._grown:
            return {TREE: self._build.h}
        before = self._entry.structures.get(TREE) if self._entry else None
        return {} if before is None else {TREE: before}

    @property
    def provisional(self) -> frozenset[str]:
        """Says whether the tree is: see :class:`.owed.OwedNote`."""
        return frozenset({TREE}) if self._provisional else frozenset()

    def prepare(self) -> None:
        """Find out before anything is read whether the tree can be made at all. Raises ConfigurationError
        and ModelUnavailable, but where the build is for something else than the tree."""
        from ..indexer.tree.shapes import load_shape

        if not self._wanted:
            return
        if self._only_held and self.foreign:
            self._reason = "it was made with other settings of [tree]"
            return
        build = self._build
        try:
            shape = load_shape(build.config.tree.shape)
            cache = LedgerCallCache(build.folder.ledger)
            self._parts = shape, build.models.summarizer(cache, build.cancel)
        except (ConfigurationError, ModelUnavailable) as error:
            if not self._only_held:
                raise
            self._reason = str(error)

    def run(self, builder: GenerationBuilder) -> None:
        """Grow the tree over the chunks that the generation now holds, or end what rests on lost ones."""
        if self._parts is None:
            self._leave(builder.h)
            return
        try:
            with self._build.clock.time("tree", alone=True):
                self._grow(builder, *self._parts)
        except (ModelUnavailable, IndexIncompatible) as error:
            # Taking documents out must not hang on a model: the rest of the tree stays, behind.
            if builder.embedded or (isinstance(error, IndexIncompatible) and not self._only_held):
                raise
            self._reason = str(error)
            self._leave(builder.h)
        else:
            self._grown = True

    def _grow(self, builder: GenerationBuilder, shape: Shape, summarizer: Summarizer) -> None:
        build = self._build
        ledger, settings = build.folder.ledger, build.config.tree
        rows = build.leaf_rows(builder)
        if [(leaf.id, leaf.document) for leaf in rows.leaves.items] != ledger.reading_order(builder.h):
            ledger.place_chunks(rows.ordinals)  # an older ledger did not know them
        before = self._nodes.nodes(builder.base or 0)
        kept = self._kept(before)
        limits = replace(settings.limits, tokens=min(settings.limits.tokens, summarizer.window))
        skeleton = shape.grow(rows.leaves, limits, kept)
        if not skeleton.branches:
            self._nodes.end(self._nodes.keys(builder.h), builder.h)
            return
        writer = self._writer(builder, before)
        documents = {row.document.id: row.document for row in ledger.documents(builder.h)}
        build.models.payments.hold("context")  # which the shape follows
        grower = TreeGrower(
            skeleton,
            rows,
            documents,
            summarizer,
            settings.tokens,
            writer,
            build.listen,
            self._upgrade,
            lambda: build.models.payments.hold(TREE),
        )
        try:
            grower.grow()
        finally:
            build.report.add(writer.faults, "degraded")
            build.accounts.count_models(TREE, grower.counts)
        build.submit_batch(TREE)
        paid = settings.summary == "model" and self._nodes.owed(builder.h) < len(skeleton.branches)
        self._provisional = kept is None and not paid and owes_chunks(ledger, builder.h)

    def _writer(self, builder: GenerationBuilder, before: Sequence[NodeRow]) -> NodeWriter:
        build = self._build
        return NodeWriter(
            self._nodes,
            builder.h,
            before,
            builder.store.fetch,
            builder.store.write,
            build.encoders(),
            build.cancel,
            build.clock,
        )

    def _kept(self, nodes: Sequence[NodeRow]) -> Skeleton | None:
        """The shape that ``nodes`` have, where that was made the same way, whole and for good."""
        if self._made_before != self._asked or self._lost or self._provisional:
            return None
        return skeleton_of(nodes)

    @property
    def _made_before(self) -> str | None:
        """How the published tree was made."""
        return self._entry.models.get(TREE) if self._entry else None

    @property
    def _lost(self) -> bool:
        """Whether the published tree is not whole, or not to be gone on with."""
        return (
            TREE in self._build.again
            or self._entry is None
            or self._entry.structures.get(TREE) != self._build.published
        )

    def _leave(self, h: int) -> None:
        """Keep the published tree, less every node that rests on a chunk that is gone or changed."""
        if self._reason:
            self._build.report.add({f"tree left behind: {self._reason}": 1}, "degraded")
        ledger = self._build.folder.ledger
        self._nodes.restore(h)
        trim_leaves(self._build.folder.path, ledger.live_keys(h, "chunks"))
        unchanged = "SELECT id FROM chunks WHERE since < ? AND until > ?"
        sound = {row["id"] for row in ledger.rows(unchanged, h, h)}
        renamed = self._renamed(h)
        gone = []
        for row in self._nodes.nodes(h):  # by level: the children before their parents
            named = len(row.documents) > 1 and not renamed.isdisjoint(row.documents)
            if not named and all(child in sound for child in row.branch.children):
                sound.add(row.branch.id)
            else:
                gone.append(row.key)
        self._nodes.end(gone, h)

    def _renamed(self, h: int) -> set[str]:
        """The documents that go by another title now, which the facts of nodes over several would not say."""
        rows = self._build.folder.ledger.documents
        before = rows(self._build.published) if self._build.published else []
        titles = {row.document.id: row.document.title or row.document.source for row in before}
        return {
            row.document.id
            for row in rows(h)
            if titles.get(row.document.id) not in (None, row.document.title or row.document.source)
        }

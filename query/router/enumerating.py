"""Looks through documents, sections, tables and entities for all of the kind that a question asks for."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ...indexer.errors import StoreError
from ...indexer.names import form
from ..access import Access
from ..enumeration import Enumeration, Group, Listed, ListedKind
from ..phrases import question_forms
from .heads import beside, heads_of
from .rows import row_groups

if TYPE_CHECKING:
    from ...indexer.models.ports import SparseEncoder
    from ...indexer.types import Document, Entity
    from ..opened import OpenGeneration
    from ..tree_map import TreeMap

log = logging.getLogger(__name__)

MOST = 50
"""Items of a group that are shown."""
FEW = 20_000
"""Where a reader may see no more entities than this, every one of them is looked at."""
LIKELY = 500
"""Names that are looked at where there are more."""
_DOCUMENTS = re.compile(
    r"documents?|manuals?|files?|records?|handbooks?|guides?|books?"
    r"|dokumente?n?|handb(?:uch|ücher)|dateien?|b(?:uch|ücher)|datensätze"
    r"|manuels?|fichiers?|documentos?|manuales|archivos|文档|文件|手册|文書|マニュアル|ドキュメント|ファイル"
    r"|문서|매뉴얼|설명서|파일",
    re.IGNORECASE,
)
"""Kinds that are documents themselves."""


def enumerate_kind(
    question: str, languages: Sequence[str], opened: OpenGeneration, access: Access, words: SparseEncoder
) -> Enumeration | None:
    """What the index holds of the kind that ``question`` wants counted or listed; None where it wants
    nothing of that, or there is none. Without the graph where its store fails.

    Documents are all, where they are what is asked for, and else those with a title or a field that says the
    kind; sections and entities those whose title, type or name says it; rows those of tables that say it,
    found by its ``words``.
    """
    if access.empty:
        return None
    for head in heads_of(question, languages):
        search = _Search(head, languages, opened, access, words)
        if groups := tuple(group for group in search.groups() if group.count):
            return Enumeration(head, groups, beside(question, head, languages))
    return None


class _Search:
    """One kind, looked for in one generation for one reader."""

    def __init__(
        self,
        head: str,
        languages: Sequence[str],
        opened: OpenGeneration,
        access: Access,
        words: SparseEncoder,
    ) -> None:
        self._head = head
        self._words = words.encode_question(head, languages)
        self._opened = opened
        self._access = access
        tongues: list[str | None] = [*languages] or [None]
        self._forms = {tongue: frozenset(question_forms(head, tongue)) for tongue in tongues}
        self._starts = tuple({min(forms, key=len)[:3] for forms in self._forms.values() if forms})

    def groups(self) -> Iterator[Group]:
        """Documents, sections, rows and entities; documents alone where they are asked for."""
        structures = self._opened.catalogue.structures
        if _DOCUMENTS.fullmatch(self._head):
            yield self._documents(every=True)
            return
        yield self._documents(every=False)
        if structures.get("tree") == self._opened.number:
            yield self._sections()
        yield from row_groups(self._opened, self._access, self._words, self._says)
        if structures.get("graph") == self._opened.number and not self._opened.resting("graph"):
            yield from self._entities()

    def _documents(self, every: bool) -> Group:
        seen = [one for one in self._opened.catalogue.documents.values() if self._access.shows(one)]
        found = [one for one in seen if every or self._says(_described(one))]
        found.sort(key=lambda one: one.source)
        items = (Listed(one.id, one.title or one.source, one.source) for one in found)
        said = "all of them" if every else "those whose title or fields say so"
        held = f"{len(seen):,} documents that you may read"
        left = " and that filters and dates leave" if self._access.narrowed else ""
        return _group("document", items, True, f"{said}, of {held}{left}")

    def _sections(self) -> Group:
        tree, documents = self._opened.tree_map, self._opened.catalogue.documents
        titled = ((node, tree.nodes[node]) for node in sorted(tree.readable(self._access)))
        found = [
            Listed(
                node, shape.title, documents[shape.documents[0]].source, tree.leaf(int(tree.beneath(node)[0]))
            )
            for node, shape in titled
            if shape.title and len(shape.documents) == 1 and self._says(shape.title)
        ]
        found.sort(key=lambda one: (one.where, one.name, one.id))
        return _group("section", found, True, "those of some length whose title says so")

    def _entities(self) -> Iterator[Group]:
        try:
            yield self._named()
        except StoreError as error:
            log.warning("no entities among what is listed: %s", error)

    def _named(self) -> Group:
        graph, where = self._opened.graph.snapshot, self._access.where(None)
        held = graph.counts(where).get("entity", 0)
        whole = held <= FEW
        if whole:
            known: Sequence[Entity] = self._opened.graph.route.entities(self._access)
        else:
            likely = [name for name in graph.alike(form(self._head), where, LIKELY) if self._says(name)]
            ids = (identifier for found in graph.named(likely, where).values() for identifier in found)
            known = graph.entities(sorted(set(ids)), where)
        found = [one for one in known if self._says_entity(one)]
        found.sort(key=lambda one: (not self._says(one.type), -one.mentions, one.name, one.id))
        looked = (
            f"all {held:,} were looked at"
            if whole
            else f"of {held:,} those with a name like it were looked at"
        )
        note = f"those whose type or name says so; {looked}, and the text may hold more that it does not name"
        return _group("entity", self._listed(found), whole, note, len(found))

    def _listed(self, entities: Sequence[Entity]) -> Iterator[Listed]:
        shown = entities[:MOST]
        graph, where = self._opened.graph.snapshot, self._access.where(None)
        first = {
            each.entity: each for each in reversed(graph.mentioning([one.id for one in shown], where, 1))
        }
        documents = self._opened.catalogue.documents
        for one in shown:
            mention = first.get(one.id)
            source = documents[mention.document].source if mention else ""
            yield Listed(one.id, one.name, source, mention.chunk if mention else "")

    def _says_entity(self, entity: Entity) -> bool:
        return self._says(entity.type) or any(map(self._says, (entity.name, *entity.aliases)))

    def _says(self, text: str) -> bool:
        """Whether a text holds all words of the kind, in any of the languages."""
        folded = text.casefold()
        if not any(start in folded for start in self._starts):
            return False
        return any(
            forms <= frozenset(question_forms(text, tongue)) for tongue, forms in self._forms.items() if forms
        )


def _first(tree: TreeMap, node: str) -> str:
    """The chunk that a node begins with."""
    return tree.leaf(int(tree.beneath(node)[0]))


def _described(document: Document) -> str:
    values = [value for value in document.fields.values() if isinstance(value, (str, int, float))]
    return " ".join(map(str, (document.title, *values)))


def _group(
    kind: ListedKind, items: Iterable[Listed], complete: bool, note: str, count: int | None = None
) -> Group:
    held = list(items)
    number = len(held) if count is None else count
    cut = f"; the first {MOST} are shown" if number > MOST else ""
    return Group(kind, number, tuple(held[:MOST]), complete, note + cut)

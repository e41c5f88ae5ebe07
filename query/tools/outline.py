"""``outline``: the tree of summaries from the top, cheap first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...indexer.errors import ConfigurationError, RouteUnavailable
from ..tree_view import TreeView
from .arguments import OutlineArguments
from .paging import Entry, Found
from .places import NOTE, TITLE, clip, filled, page_ranges
from .refusal import Refusal
from .shapes import Outline
from .tool import Desk, Tool

WORDS = 60
"""Characters of a summary that stand for the title that a node does not have."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A node of the outline, made into its entry when it is its turn."""

    desk: Desk
    view: TreeView
    depth: int
    detail: str
    above: TreeView | None

    def __call__(self) -> Entry:
        view = self.view
        one = view.documents[0] if len(view.documents) == 1 else ""
        known = self.above is not None and self.above.documents == view.documents
        entry: Entry = {
            **filled(id=view.id),
            "depth": self.depth,
            "title": _title(view),
            **filled(
                source="" if known else one,
                documents=len(view.documents) if len(view.documents) > 1 else None,
                pages=page_ranges(view.pages),
            ),
            "passages": view.passages,
            **filled(below=view.folded or None),
        }
        text = self._text() if self.detail == "text" else ""
        summary = view.summary if self.detail != "titles" and not text else ""
        return entry | filled(summary=summary, text=text)

    def _text(self) -> str:
        """The passages under a node that has no nodes below it."""
        index, labels = self.desk.index, self.desk.labels
        if self.view.id is None or self.view.level > 1:
            return ""
        if self.view.level == 0:
            return index.read(self.view.id, labels).text
        chunks = index.read(self.view.id, labels).below
        return "".join(index.read(chunk, labels).text for chunk in chunks)


def _title(view: TreeView) -> str:
    """The title of a node; of one without, the titles that it holds, or the first words of its summary."""
    if view.id is None:
        return "everything"
    title = view.title or view.holds or (", ".join(view.documents) if view.level == 0 else "")
    return clip(title, TITLE) or f"“{clip(view.summary, WORDS)}”"


def _run(desk: Desk, asked: OutlineArguments) -> Found:
    try:
        view = desk.index.tree(asked.of or None, asked.depth, desk.labels)
    except RouteUnavailable:
        raise Refusal("this index holds no tree", desk.without("tree")) from None
    except ConfigurationError:
        raise Refusal(
            f"no node or document is called {clip(asked.of, TITLE)!r}{desk.meant(asked.of)}",
            "ids of nodes come from outline and search, sources from documents; or begin without `of`",
        ) from None
    key = "text" if asked.detail == "text" else "summary"
    return Found({"note": NOTE}, "nodes", list(_lines(desk, view, asked.detail)), key)


def _lines(
    desk: Desk, view: TreeView, detail: str, depth: int = 0, above: TreeView | None = None
) -> Iterator[_Line]:
    yield _Line(desk, view, depth, detail, above)
    for child in view.children:
        yield from _lines(desk, child, detail, depth + 1, view)


OUTLINE = Tool(
    "outline",
    "Outline of the documents",
    "Show the tree over the documents (the authors' chapters and sections, with summaries) from `of` down, "
    "flat and in reading order. Begin with titles and little depth, go down by the `id` of what is of "
    "interest, then ask for summaries or text there. `below` says how much is hidden under a node.",
    OutlineArguments,
    Outline,
    _run,
)

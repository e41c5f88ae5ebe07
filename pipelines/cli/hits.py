"""A search result for people: where each hit stands, and the part of it that bears on the question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from ...query.result import page_label
from ..marking import question_forms, snippet
from .output import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ...indexer.types import Citation, Hit
    from ...query.enumeration import Enumeration
    from ...query.result import SearchResult

SNIPPET = 420
"""Characters of a hit's text that are shown."""
_MARK, _SOURCE, _DIM = "bold yellow", "bold", "dim"


def render_result(result: SearchResult) -> Iterator[RenderableType]:
    """The hits of a search, with the explanation where there is one."""
    if not result.hits:
        yield "no hits"
    forms = question_forms(result.question)
    for rank, hit in enumerate(result.hits, start=1):
        yield _hit(rank, hit, forms)
    if result.enumeration is not None:
        yield from listed(result.enumeration)
    if result.explanation is not None:
        route = result.route
        told = {"route": "+".join(route.used), "why": route.why, "scores": route.scores}
        yield _grid(Text("the question", style=_SOURCE), _facts({**told, **_readable(result.explanation)}))


def listed(found: Enumeration) -> Iterator[RenderableType]:
    """What the index knows of a kind, a paragraph a group."""
    words = one_line(", ".join(found.beside))
    beside = f", whatever the question says besides ({words})" if words else ""
    for group in found.groups:
        plural = {"entity": "entities"}.get(group.kind, f"{group.kind}s")
        head = Text(f"{group.count:,} {group.kind if group.count == 1 else plural}", style=_SOURCE)
        head.append(f" for {one_line(found.asked)!r}{beside}: {group.note}", style=_DIM)
        names = Text(one_line(", ".join(item.name for item in group.items)))
        yield _grid(Text(""), head, names)


def pages(numbers: Sequence[int] | None) -> str:
    """Page numbers in few characters: ``p. 12``, ``p. 12-13``, ``p. 3, 7-9``; empty for none."""
    return f"p. {page_label(numbers)}" if numbers else ""


def called(step: Mapping[str, Any]) -> str:
    """A step on the way down to a hit or a node: its title, or what it holds, or at least its level."""
    return str(step.get("title") or step.get("holds") or f"level {step.get('level', 0)}")


def place(citation: Citation) -> Text:
    """Source and pages of a citation, marked where the text was read by OCR or by a model, and how surely:
    ``ocr .87``."""
    text = Text(one_line(citation.source), style=_SOURCE)
    if citation.pages:
        text.append(f"  {pages(citation.pages)}", style="cyan")
    if citation.origin != "text":
        text.append(f"  {citation.origin}", style=_DIM)
    if citation.confidence is not None:
        text.append(f" {citation.confidence:.2f}".replace(" 0.", " ."), style=_DIM)
    return text


def rests_on(
    first: Citation, sources: Sequence[str], passages: int, numbers: Sequence[int] | None, more: bool = False
) -> Text:
    """What a summary stands for: ``first`` is where its best passage is, ``numbers`` are the pages of all,
    of which there are ``more`` than that."""
    text = _sources([first.source, *(source for source in sources if source != first.source)])
    held = f"summary of {passages:,} passage{'' if passages == 1 else 's'}"
    if numbers and len(sources) == 1:
        held += f", {pages(numbers)}{' ...' if more else ''}"
    text.append(f"  {held}", style="cyan")
    return text


def _sources(sources: Sequence[str]) -> Text:
    """The first of ``sources``, and how many more there are."""
    text = Text(one_line(sources[0]), style=_SOURCE)
    if others := len(sources) - 1:
        text.append(f" and {others:,} more document{'' if others == 1 else 's'}", style=_SOURCE)
    return text


def _place(hit: Hit) -> tuple[Text, str]:
    """Where a hit stands, and its section."""
    first = hit.citations[0]
    if hit.kind == "chunk":
        return place(first), " > ".join(first.section)
    sources = list(dict.fromkeys(citation.source for citation in hit.citations))
    if hit.kind == "report":
        return _sources(sources).append("  report of a community", style="cyan"), hit.context
    numbers = sorted({number for citation in hit.citations for number in citation.pages or ()})
    more = hit.passages > len(hit.citations)
    return rests_on(first, sources, hit.passages, numbers, more), hit.context


def _hit(rank: int, hit: Hit, forms: frozenset[str]) -> RenderableType:
    head = Text(f"{hit.relevance:.2f}  ", style="green")
    rows: list[RenderableType] = [head]
    if hit.citations:
        where, section = _place(hit)
        head.append_text(where)
        if section:
            rows.append(Text(one_line(section), style=_DIM))
    around = [(n.offset, Text(f"{n.offset:+d}  {one_line(n.text)}", style=_DIM)) for n in hit.neighbours]
    rows += [text for offset, text in around if offset < 0]
    rows.append(_snippet(hit.text, forms))
    rows += [text for offset, text in around if offset > 0]
    way = _path(hit)
    if hit.explanation is not None:
        rows += [_ranks(hit), _facts({**({"path": way} if way else {}), **hit.explanation})]
    elif way and _is_walk(hit):
        rows.append(Text(f"by {one_line(way)}", style=_DIM))
    rows.append(Text(hit.id, style=_DIM))
    return _grid(Text(str(rank), style=_DIM), *rows)


def _grid(first: Text, *rows: RenderableType) -> Table:
    """Rows under one another, ``first`` in front of the first one, an empty line behind the last."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right", min_width=3)
    grid.add_column(overflow="fold")
    for number, row in enumerate(rows):
        grid.add_row("" if number else first, row)
    grid.add_row("", "")
    return grid


def _snippet(text: str, forms: frozenset[str]) -> Text:
    part = snippet(one_line(text), forms, SNIPPET)
    shown = Text(part.text)
    for start, end in part.marks:
        shown.stylize(_MARK, start, end)
    return shown


def _ranks(hit: Hit) -> Table:
    """Each list's and each step's rank, and the raw score where it has one."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=_DIM)
    for title in ("list", "rank", "score"):
        table.add_column(title, justify="left" if title == "list" else "right")
    for name in dict.fromkeys([*hit.scores, *hit.ranks]):
        rank, score = hit.ranks.get(name), hit.scores.get(name)
        if rank is not None or score is not None:
            shown = "" if score is None else f"{score:.4g}"
            table.add_row(name, "-" if rank is None else str(rank), shown)
    return table


def _is_walk(hit: Hit) -> bool:
    """Whether a hit was come by over the graph, from what the question names."""
    return any(step["kind"] in ("entity", "relation") for step in hit.path or ())


def _path(hit: Hit) -> str:
    """The way to a hit: down the tree, or over the graph from what the question names; empty for none."""
    steps = hit.path or ()
    if _is_walk(hit):
        return " ".join(_walked(steps))
    titled = (
        step for step in steps if step["kind"] == "node" or (step["kind"] == "chunk" and step.get("title"))
    )
    return " > ".join(called(step) for step in titled)


def _readable(explanation: Mapping[str, Any]) -> Mapping[str, Any]:
    """An explanation with the entities of the question in a few words each."""
    if "links" not in explanation:
        return explanation
    links = [
        f"{link['said']} = {link['name']} ({link['by']} {link['confidence']:.2f})"
        for link in explanation["links"]
    ]
    return {**explanation, "links": links or "none, so the order is that of the hybrid route"}


def _walked(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """``ADDPS -[requires]-> SSE -[requires, only if ...]-> CR4.OSFXSR``; an arrow points as the relation
    does, whichever way it was walked, and ``~`` is a passage that names what is on either side."""
    at = ""
    for step in steps[:-1] if steps[-1]["kind"] == "chunk" else steps:
        if step["kind"] == "relation":
            said = ", ".join(part for part in (step["type"], step["condition"]) if part)
            yield f"-[{said}]->" if step["source"] == at else f"<-[{said}]-"
        elif step["kind"] == "entity":
            at = step["name"]
            yield at
        elif step["kind"] == "chunk":
            yield "~"


def _facts(explanation: Mapping[str, Any]) -> Table:
    """Named values, those of a kind in one row, the weightiest first."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style=_DIM)
    table.add_column(overflow="fold")
    for name, value in explanation.items():
        table.add_row(one_line(str(name)), one_line(_fact(value)))
    return table


def _fact(value: object) -> str:
    if isinstance(value, Mapping):
        items = sorted(value.items(), key=lambda item: -_weight(item[1]))
        return ", ".join(f"{name} {_fact(inner)}" for name, inner in items)
    if isinstance(value, list | tuple):
        return ", ".join(_fact(inner) for inner in value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _weight(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0

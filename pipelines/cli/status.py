"""``treegraph status``: what the index holds, how it was made, what failed and why, what it cost."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from .common import Common, command
from .output import emit, one_line, show

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


_SHOWN = 200
"""Documents that are listed for people."""
_NAMED = 5
"""Sections, and documents of one summary, that are named for people."""


@command("status", short_help="What the index holds, and what failed.")
@click.option("--failed", is_flag=True, help="Only what failed, and why.")
@click.option("--owed", is_flag=True, help="Only what a model is still to make, and of which documents.")
def status(common: Common, failed: bool, owed: bool) -> int:
    """Say what the index holds, how it was made, what failed and why, and what it cost."""
    from ..maintenance import status as read_status

    if failed and owed:
        raise click.UsageError("--failed and --owed are two questions: ask them one after the other")
    found = read_status(common.index_path, failed_only=failed, owed_only=owed)
    if common.json:
        emit(found)
    elif failed:
        show(_failures(found["failed"]))
    elif owed:
        show(_owing(found["owing"]))
    else:
        show(_overview(found), "", *_documents(found["documents"]), _failures(found["failed"]))
    return 0


_SETTINGS = ("tree", "graph", "graph edits")
"""What a structure was made with, which is no model's name."""


def _graph(found: Mapping[str, Any]) -> str:
    if "graph" not in found["structures"]:
        return ""
    if found["entities"] is None:
        return "its server does not answer"
    counts = (f"{found[name]:,} {name}" for name in ("entities", "relations", "communities"))
    return ", ".join(counts)


def _overview(found: Mapping[str, Any]) -> Table:
    documents, pages, chunks = len(found["documents"]), found["pages"], found["chunks"]
    rows = [
        ("index", f"{found['index']}  ({found['index_id']})"),
        ("generation", _generation(found)),
        ("holds", f"{documents:,} documents, {pages:,} pages, {chunks:,} chunks, {found['nodes']:,} nodes"),
        ("pages read by", _pairs(_read(found["documents"]))),
        ("graph", _graph(found)),
        ("models", _pairs({name: made for name, made in found["models"].items() if name not in _SETTINGS})),
        ("tree made with", _tree(found["models"].get("tree", ""))),
        ("graph made with", _tree(found["models"].get("graph", ""))),
        ("structures", _pairs({name: _structure(state) for name, state in found["structures"].items()})),
        ("owed by models", _pairs(found["owed"])),
        ("calls in batches", f"{found['waiting']:,}" if found["waiting"] else ""),
        ("stores", _pairs(found["stores"])),
        ("lost", found["lost"] or ""),
        ("read by", _pairs({f"generation {g}": f"processes {pids}" for g, pids in found["readers"].items()})),
    ]
    rows += _last_build(found["last_build"])
    rows += [(f"source {name}", _source(source)) for name, source in found["sources"].items()]
    rows += [(f"spent on {stage}", _pairs(counts)) for stage, counts in found["spend"].items()]
    rows.append(("plan, and what it was", _plan(found["plan"])))
    table = _table("", "")
    table.show_header = False
    for name, value in rows:
        if value:
            table.add_row(name, one_line(value))
    return table


def _last_build(last: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    if last is None:
        return []
    took = f"{last['seconds']:,.1f} s" + (f", cost {last['cost']:,.4f}" if last["cost"] else "")
    unread = f", {last['unreadable']:,} pages that nothing could read" if last["unreadable"] else ""
    degraded = "; ".join(f"{count:,} {reason}" for reason, count in sorted(last["degraded"].items()))
    said = f"run {last['id'][:8]}, generation {last['generation']}, {last['finished']}: {took}{unread}"
    return [("last build", said), ("degraded in it", degraded)]


def _generation(found: Mapping[str, Any]) -> str:
    text = (
        "none published" if found["generation"] is None else f"{found['generation']}, built {found['built']}"
    )
    kept = [number for number in found["generations"] if number != str(found["generation"])]
    if kept:
        text += f"; kept: {', '.join(kept)}"
    if found["unfinished"] is not None:
        text += f"; {found['unfinished']} is unfinished: the same build goes on with it"
    return text


def _structure(state: Mapping[str, Any]) -> str:
    whole = f"generation {state['generation']}"
    return f"behind, last whole in {whole}" if state["behind"] else whole


def _plan(plan: Mapping[str, Any] | None) -> str:
    """What was planned for the last build that had a plan, and what it came to."""
    if plan is None:
        return ""
    names = ("chunks", "embedded", "calls", "tokens_in", "tokens_out", "price", "seconds")
    pairs = ((name.replace("_", " "), plan[name]["planned"], plan[name]["actual"]) for name in names)
    told = [
        f"{name} {_told(planned)}, {_told(actual)}" for name, planned, actual in pairs if planned or actual
    ]
    runs = f" after {plan['runs']} runs" if plan["runs"] > 1 else ""
    return f"generation {plan['generation']}{runs}: {'; '.join(told)}"


def _told(value: object) -> str:
    return "unknown" if value is None else f"{value:,}" if isinstance(value, int) else _number(value)


def _tree(made: str) -> str:
    """How the tree was made: its settings as JSON, and the model that wrote its summaries, if one did."""
    if not made:
        return ""
    settings, end = json.JSONDecoder().raw_decode(made)
    return _pairs(settings) + (f", by{made[end:]}" if made[end:] else "")


def _source(source: Mapping[str, Any]) -> str:
    return f"{source['documents']:,} documents from {source['spec'] or 'what was handed in'}"


def _read(documents: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Pages by the way in which they were read, and those that nothing could read."""
    counts: dict[str, int] = {}
    for document in documents:
        for way, count in document["read"].items():
            counts[way] = counts.get(way, 0) + count
    unreadable = sum(len(document["unreadable_pages"]) for document in documents)
    return counts | ({"nothing": unreadable} if unreadable else {})


def _documents(documents: Sequence[Mapping[str, Any]]) -> list[RenderableType]:
    if not documents:
        return []
    table = _table("source", "pages", "chunks", "without text", "labels", "title")
    for document in sorted(documents, key=lambda document: str(document["source"]))[:_SHOWN]:
        empty = len(document["empty_pages"])
        table.add_row(
            one_line(document["source"]),
            "" if document["pages"] is None else f"{document['pages']:,}",
            f"{document['chunks']:,}",
            f"{empty:,}" if empty else "",
            one_line(", ".join(document["labels"])),
            one_line(document["title"]),
        )
    more = len(documents) - _SHOWN
    rest = [f"and {more:,} more; --json lists them all", ""] if more > 0 else [""]
    return [table, *rest, *_ways(documents)]


def _ways(documents: Sequence[Mapping[str, Any]]) -> list[RenderableType]:
    """The documents with pages that their text layers do not give: how those were read, and why."""
    from .hits import pages

    told = [document for document in documents if document["why"]]
    if not told:
        return []
    table = _table("source", "read by", "why", "nothing could read")
    for document in sorted(told, key=lambda document: str(document["source"]))[:_SHOWN]:
        reasons = sorted(document["why"].items(), key=lambda item: (-item[1], item[0]))
        table.add_row(
            one_line(document["source"]),
            _pairs(document["read"]),
            one_line("; ".join(f"{count:,} {reason.replace(';', ',')}" for reason, count in reasons)),
            pages(document["unreadable_pages"]),
        )
    more = len(told) - _SHOWN
    return [table, f"and {more:,} more; --json lists them all", ""] if more > 0 else [table, ""]


def _owing(items: Sequence[Mapping[str, Any]]) -> RenderableType:
    """What models are still to make, a line for each stage and its documents."""
    from .hits import pages

    if not items:
        return "nothing is owed"
    table = _table("owed", "items", "of", "pages", "sections")
    for item in items:
        named = ", ".join(item["sources"][:_NAMED]) or "a document that is not known any more"
        sources = f"{named}{_more(item['sources'])}"
        sections = f"{'; '.join(item['sections'][:_NAMED])}{_more(item['sections'])}"
        of = pages(item["pages"]) if item["pages"] else ""
        table.add_row(item["stage"], f"{item['count']:,}", one_line(sources), of, one_line(sections))
    return table


def _more(names: Sequence[str]) -> str:
    return f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""


def _failures(failures: Sequence[Mapping[str, Any]]) -> RenderableType:
    if not failures:
        return "nothing failed"
    table = _table("failed", "reason", "since", "message")
    for failure in failures:
        since = datetime.fromtimestamp(failure["first_seen"]).strftime("%Y-%m-%d %H:%M")
        stale = " (its last good version is kept)" if failure["stale"] else ""
        message = one_line(failure["message"]) + stale
        table.add_row(one_line(failure["source"]), failure["reason"], since, message)
    return table


def _table(*titles: str) -> Table:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in titles:
        right = title in ("pages", "chunks", "without text", "items")
        table.add_column(title, justify="right" if right else "left", overflow="fold")
    return table


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {_number(value)}" for name, value in values.items())


def _number(value: object) -> str:
    if value is None:
        return "unknown"
    return (
        f"{value:,.4g}" if isinstance(value, float) and value != int(value) else str(value).removesuffix(".0")
    )

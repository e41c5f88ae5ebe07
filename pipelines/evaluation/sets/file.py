"""A set that was saved: questions beside a ``set.toml`` that says what they are asked of."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....indexer.errors import BadSet, ConfigurationError
from ....indexer.sources_names import escape_name
from ..places import page_place, source_of
from ..questions import EvaluationSet, Part, Question, Withheld
from .lines import Faults
from .pages import ALSO, Labels
from .queries import read_queries
from .records import QUERIES
from .sources import Sources

SETTINGS = "set.toml"

_VERSION = 1
_KEYS = {"version", "name", "part", "sources", "seed", "notes", "left_out", "withheld"}
_NAMED = re.compile(r"([^/=]+)=(.+)", re.DOTALL)
_TAKEN = ("_id", "text", "pdf", "page0", "pages0", "sections", "grades", ALSO)


def read_saved(folder: Path, path: Path) -> EvaluationSet:
    """The set that :func:`write_set` wrote to ``folder``, or a person like it.

    ``sources`` in it are absolute, or relative to the folder. Raises BadSet for faults, and what
    reading the sources raises.
    """
    settings = _Settings(folder / SETTINGS)
    specs = tuple(_absolute(spec, folder) for spec in settings.texts("sources"))
    if not specs:
        raise settings.bad('has no "sources": what are the questions asked of?')
    faults = Faults()
    sources = Sources(specs)
    where = ", ".join(escape_name(spec) for spec in specs)
    labels = Labels(sources, faults, lambda name: f"{name} is not in {where}", lambda file: file.source)
    questions = tuple(labels.questions(read_queries(folder / QUERIES, faults)))
    faults.check()
    if not questions:
        raise BadSet(f"{escape_name(str(folder / QUERIES))}: holds no question")
    left_out, withheld = settings.left_out(), settings.withheld()
    for source in (*left_out, *withheld):
        if len(sources.find(source)) != 1:
            raise settings.bad(f"{source} is not in {where}")
    places = frozenset(page_place(source, page) for source, pages in left_out.items() for page in pages)
    name = settings.text("name", folder.name)
    part = Part(settings.text("part", name), specs, questions, "page", places, withheld)
    return EvaluationSet(name, (part,), path, settings.texts("notes"))


class _Settings:
    """What a ``set.toml`` says. Every method raises BadSet for what is not as it should be."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._values = tomllib.loads(path.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise self.bad(f"is not TOML: {error}") from error
        except OSError as error:
            raise self.bad(f"cannot be read: {error.strerror}") from error
        if self._values.get("version") != _VERSION:
            raise self.bad(f"its version is not {_VERSION}")
        if unknown := sorted(self._values.keys() - _KEYS):
            raise self.bad(f"does not know {', '.join(unknown)}")

    def bad(self, message: str) -> BadSet:
        """The error to raise; the parser's message names the line."""
        return BadSet(f"{escape_name(str(self._path))}: {message}")

    def text(self, key: str, otherwise: str) -> str:
        value = self._values.get(key, otherwise)
        if not isinstance(value, str) or not value:
            raise self.bad(f"{key} is not a text")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.bad(f"{key} is not a list of texts")
        return tuple(value)

    def left_out(self) -> Mapping[str, list[int]]:
        """Source -> 1-based pages that no ranking may hold."""
        tables = self._values.get("left_out", {})
        if not isinstance(tables, dict) or not all(_are_pages(pages) for pages in tables.values()):
            raise self.bad("left_out is not a table of source = [pages, counted from 1]")
        return tables

    def withheld(self) -> Mapping[str, tuple[Withheld, ...]]:
        """Source -> entries of its outline that are kept from the index."""
        entries = self._values.get("withheld", [])
        if not isinstance(entries, list) or not all(_is_withheld(entry) for entry in entries):
            raise self.bad("withheld is not a list of tables of source, title and page (counted from 1)")
        found: dict[str, list[Withheld]] = {}
        for entry in entries:
            found.setdefault(entry["source"], []).append(Withheld(entry["title"], entry["page"]))
        return {source: tuple(withheld) for source, withheld in found.items()}


def _are_pages(value: Any) -> bool:
    return isinstance(value, list) and all(type(page) is int and page > 0 for page in value)


def _is_withheld(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("source"), str)
        and isinstance(value.get("title"), str)
        and type(value.get("page")) is int
        and value["page"] > 0
    )


def _absolute(spec: str, folder: Path) -> str:
    """A source from ``folder`` on. What exists under the very words is a path, also with ``=`` in it."""
    if (named := _NAMED.fullmatch(spec)) and not os.path.lexists(folder / spec):
        return f"{named[1]}={_absolute(named[2], folder)}"
    if os.path.isabs(os.path.expanduser(spec)):
        return spec
    return os.path.abspath(folder / spec)


def write_set(evaluation: EvaluationSet, folder: Path, *, seed: int | None = None) -> None:
    """Write a set of one part over pages to ``folder``, so that a person can edit it and
    ``read_set(folder)`` gives it back. ``seed`` is what it was drawn with.

    Raises ConfigurationError where the folder holds other things, or a set that differs from this one;
    where the set has several parts or is over records; and where a question has no gold.
    """
    if len(evaluation.parts) != 1 or evaluation.parts[0].unit != "page":
        raise ConfigurationError(f"{evaluation.name} cannot be saved: only one part over pages can")
    part = evaluation.parts[0]
    texts = {
        SETTINGS: _toml(evaluation, part, seed),
        QUERIES: "".join(_line(question) + "\n" for question in part.questions),
    }
    check_folder(folder)
    _check_same(folder, texts)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        half = folder / f"{name}.part"
        half.write_text(text, "utf-8")
        half.replace(folder / name)


def check_folder(folder: Path) -> None:
    """Raises ConfigurationError for a folder that :func:`write_set` refuses whatever the set: a file, or a
    folder with other things in it."""
    shown = escape_name(str(folder))
    if folder.exists() and not folder.is_dir():
        raise ConfigurationError(f"{shown} is a file; name a folder to save the set in")
    for entry in sorted(folder.iterdir()) if folder.exists() else ():
        if entry.name.removesuffix(".part") not in (SETTINGS, QUERIES):
            raise ConfigurationError(
                f"{shown} holds other things ({escape_name(entry.name)}); name a new folder"
            )


def _check_same(folder: Path, texts: Mapping[str, str]) -> None:
    """Refuse a set that is not this very one."""
    for name, text in texts.items():
        there = folder / name
        if there.exists() and there.read_bytes() != text.encode():
            shown = escape_name(str(folder))
            raise ConfigurationError(f"{shown} holds another {name}, perhaps edited; name a new folder")


def _line(question: Question) -> str:
    lost = [key for key in question.fields if key in _TAKEN]
    if lost or not question.gold:
        why = f"it has a field called {lost[0]}" if lost else "it has no gold"
        raise ConfigurationError(f"the question {question.id!r} cannot be saved: {why}")
    by_source: dict[str, dict[str, int]] = {}
    for place, grade in question.gold.items():
        by_source.setdefault(str(source_of(place, "page")), {})[place] = grade
    first, *also = (_label(source, gold) for source, gold in by_source.items())
    record = {"_id": question.id, "text": question.text, **first, **({ALSO: also} if also else {})}
    return json.dumps({**record, **question.fields}, ensure_ascii=False)


def _label(source: str, gold: Mapping[str, int]) -> dict[str, Any]:
    """What answers a question in one document, as it is written."""
    label: dict[str, Any] = {"pdf": source}
    after = [place[len(source) :] for place in gold]
    if all(place.startswith("@") for place in after):
        pages = [int(place[1:]) - 1 for place in after]
        label |= {"page0": pages[0]} if len(pages) == 1 else {"pages0": pages}
    else:
        label["sections"] = [place[1:].split(" > ") for place in after]
    if any(grade != 1 for grade in gold.values()):
        label["grades"] = list(gold.values())
    return label


def _toml(evaluation: EvaluationSet, part: Part, seed: int | None) -> str:
    import tomli_w

    left_out: dict[str, list[int]] = {}
    for place in sorted(part.left_out):
        left_out.setdefault(str(source_of(place, part.unit)), []).append(int(place.rpartition("@")[2]))
    values: dict[str, Any] = {"version": _VERSION, "name": evaluation.name, "part": part.name}
    values["sources"] = list(part.sources)
    if seed is not None:
        values["seed"] = seed
    values["notes"] = list(evaluation.notes)
    values["left_out"] = {source: sorted(pages) for source, pages in left_out.items()}
    values["withheld"] = [
        {"source": source, "title": entry.title, "page": entry.page}
        for source, entries in part.withheld.items()
        for entry in entries
    ]
    return tomli_w.dumps(values)

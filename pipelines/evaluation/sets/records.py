"""Sets in the BEIR layout: records in ``corpus.jsonl``, questions, and judgements of pairs of both."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from ....indexer.errors import BadSet
from ....indexer.loaders.encoding import scrub
from ....indexer.sources_layout import DOCUMENTS
from ....indexer.sources_names import escape_name
from ..questions import EvaluationSet, Part, Question
from .lines import Faults, text_lines
from .queries import Query, read_queries

CORPUS = "corpus.jsonl"
QUERIES = "queries.jsonl"
JUDGEMENTS = ("qrels.tsv", "qrels/test.tsv", "qrels.txt", "qrels.trec")

_QUICK_ID = re.compile(r'\{\s*"_id"\s*:\s*"([^"\\]+)"\s*,.*\}\s*')


def read_records(folder: Path, path: Path) -> EvaluationSet:
    """The set in ``folder``, called ``path`` by the user: one part, whose gold are records.

    Judgements are lines of query, record and grade with a header line, or TREC's of query, 0, record and
    grade; grades of 0 and less say that a record does not answer. Questions without gold are not asked.

    Raises BadSet for a missing file, and for faults with the lines that they are on.
    """
    faults = Faults()
    judgements = _judgements_of(folder)
    queries = read_queries(folder / QUERIES, faults)
    records = _record_ids(folder / CORPUS, faults)
    gold = _gold(folder, judgements, {query.id for query in queries}, records, faults)
    faults.check()
    asked = tuple(_question(query, gold[query.id]) for query in queries if gold.get(query.id))
    if not asked:
        raise BadSet(
            f"{escape_name(str(judgements))}: no question of the set has gold: all grades are 0 or none"
        )
    part = Part(folder.name, (str(folder),), asked, "record")
    return EvaluationSet(folder.name, (part,), path, _notes(len(queries), len(asked)))


def _judgements_of(folder: Path) -> Path:
    for name in JUDGEMENTS:
        if (folder / name).is_file():
            return folder / name
    raise BadSet(f"{escape_name(str(folder / JUDGEMENTS[0]))}: there is no such file; the set needs it")


def _question(query: Query, gold: dict[str, int]) -> Question:
    return Question(query.id, query.text, gold, query.rest)


def _notes(queries: int, asked: int) -> tuple[str, ...]:
    without = queries - asked
    return (f"{without} of {queries} questions have no gold and are not asked",) if without else ()


def _record_ids(path: Path, faults: Faults) -> set[str]:
    """The ids of a corpus, as they are read when it is indexed."""
    lines: dict[str, int] = {}
    for number, text in text_lines(path, faults):
        known = _record_id(text, number)
        if isinstance(known, ValueError):
            faults.add(path, number, str(known))
        elif known in lines:
            faults.add(path, number, f"a record with the _id {known!r} stands on line {lines[known]}")
        else:
            lines[known] = number
    return set(lines)


def _record_id(text: str, number: int) -> str | ValueError:
    """The id of a record; its line's number where it has none. Most lines need no parsing for that."""
    if quick := _QUICK_ID.fullmatch(text):
        return scrub(quick[1])
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        return ValueError(f"is not JSON: {error}")
    if not isinstance(value, dict):
        return ValueError('is not an object like {"_id": ..., "text": ...}')
    known = value.get("_id", number)
    if isinstance(known, bool) or not isinstance(known, (str, int)) or known == "":
        return ValueError("has no _id: give it a text or a number")
    return scrub(str(known))


def _gold(
    folder: Path, path: Path, queries: set[str], records: set[str], faults: Faults
) -> dict[str, dict[str, int]]:
    """Query -> record -> grade, of what is judged to answer."""
    # A citation spells the id of a record as a path, but not that of one cut from a longer text.
    cut = (folder / DOCUMENTS).is_file()
    judged: dict[tuple[str, str], int] = {}
    gold: dict[str, dict[str, int]] = {}
    for number, query, written, grade in _judgements(path, faults):
        record = scrub(written)
        if query not in queries:
            faults.add(path, number, f"no question has the _id {query!r}")
        elif record not in records:
            faults.add(path, number, f"no record of {CORPUS} has the _id {record!r}")
        elif judged.setdefault((query, record), grade) != grade:
            faults.add(path, number, f"{query!r} and {record!r} are judged {judged[query, record]} above")
        elif grade > 0:
            gold.setdefault(query, {})[record if cut and "#" in record else escape_name(record)] = grade
    return gold


def _judgements(path: Path, faults: Faults) -> Iterator[tuple[int, str, str, int]]:
    """(line number, query, record, grade) of each line; a header line is left out."""
    for place, (number, text) in enumerate(text_lines(path, faults)):
        columns = text.split("\t") if "\t" in text else text.split()
        columns = [column.strip() for column in columns]
        if len(columns) == 4:
            del columns[1]
        if len(columns) != 3 or not all(columns):
            faults.add(path, number, "is not query, record and grade (or query, 0, record and grade)")
            continue
        query, record, written = columns
        try:
            grade = int(written)
        except ValueError:
            if place > 0:
                faults.add(path, number, f"the grade {written!r} is not a whole number")
            continue
        yield number, query, record, grade

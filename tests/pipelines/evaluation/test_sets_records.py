"""Sets in the BEIR layout: what is read, and what is said of a set that does not hold together."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import treegraph
from hash_embedder import FakeHashEmbedder
from treegraph.indexer.errors import BadSet, ConfigurationError
from treegraph.pipelines.evaluation.places import ranking
from treegraph.pipelines.evaluation.questions import Question
from treegraph.pipelines.evaluation.sets.reading import read_set

RECORDS = [
    {"_id": "pump", "title": "Pump", "text": "Hold the green key to reset the pump."},
    {"_id": "valve", "title": "", "text": "Open the drain valve before transport."},
    {"_id": 7, "text": "The warranty ends after two years."},
]
QUERIES = [
    {"_id": "q1", "text": "How is the pump reset?", "hops": 1, "aliases": ["green key"]},
    {"id": "q2", "question": "When does the warranty end?", "answer": "two years"},
    {"_id": "q3", "text": "Who made it?"},
]
QRELS = "query-id\tcorpus-id\tscore\nq1\tpump\t2\nq1\tvalve\t0\nq2\t7\t1\nq3\tvalve\t0\n"


def lines(path: Path, values: Iterable[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(value) + "\n" for value in values), "utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "machine"
    lines(folder / "corpus.jsonl", RECORDS)
    lines(folder / "queries.jsonl", QUERIES)
    (folder / "qrels.tsv").write_text(QRELS)
    return folder


def test_what_a_set_of_records_holds(folder: Path) -> None:
    read = read_set(folder)
    (part,) = read.parts
    assert (read.name, read.path, part.unit, part.sources) == ("machine", folder, "record", (str(folder),))
    assert part.questions == (
        Question("q1", "How is the pump reset?", {"pump": 2}, {"hops": 1, "aliases": ["green key"]}),
        Question("q2", "When does the warranty end?", {"7": 1}, {"answer": "two years"}),
    )
    assert read.notes == ("1 of 3 questions have no gold and are not asked",)
    assert not part.left_out


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("qrels/test.tsv", QRELS),
        ("qrels.tsv", "q1 0 pump 2\nq1 0 valve 0\nq2 0 7 1\n"),
        ("qrels.txt", "q1\t0\tpump\t2\r\n\r\nq1\t0\tvalve\t-1\r\nq2\t0\t7\t1\r\n"),
    ],
)
def test_other_spellings_of_judgements(folder: Path, name: str, text: str) -> None:
    (folder / "qrels.tsv").unlink()
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    assert [dict(question.gold) for question in read_set(folder).parts[0].questions] == [
        {"pump": 2},
        {"7": 1},
    ]


@pytest.mark.parametrize(("document", "cut"), [("a%20b\u202e", False), ("a b/c", True)])
def test_gold_is_spelled_as_hits_cite_it(tmp_path: Path, document: str, cut: bool) -> None:
    folder = tmp_path / "odd"
    texts = ["Hold the green key to reset the pump. ", "Open the drain valve before transport."]
    records = [{"_id": f"{document}#{n}", "text": text} for n, text in enumerate(texts)]
    lines(folder / "corpus.jsonl", records)
    if cut:
        lines(folder / "documents.jsonl", [{"_id": document, "text": "".join(texts)}])
    lines(folder / "queries.jsonl", [{"_id": "q", "text": "reset the pump"}])
    (folder / "qrels.tsv").write_text(f"q\t{document}#0\t1\n", "utf-8")
    (part,) = read_set(folder).parts
    embedder = FakeHashEmbedder()
    treegraph.build_index(part.sources, tmp_path / "index", embedder=embedder)
    with treegraph.open_index(tmp_path / "index", embedder=embedder) as index:
        found = ranking(index.search("reset the pump", k=2).hits, "record")
    assert part.questions[0].gold == {found[0]: 1}


@pytest.mark.parametrize("missing", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_missing_file_is_named(folder: Path, missing: str) -> None:
    (folder / missing).unlink()
    with pytest.raises(BadSet) as caught:
        read_set(folder)
    assert f"{folder / missing}: there is no such file" in str(caught.value)
    assert isinstance(caught.value, ConfigurationError)
    assert caught.value.exit_code == 2


SLIPS = [
    ("queries.jsonl", '{"_id": "q4", "text": "A', ":4: is not JSON"),
    ("queries.jsonl", '["q4", "A?"]', ":4: is not an object"),
    ("queries.jsonl", '{"text": "A?"}', ":4: has no _id"),
    ("queries.jsonl", '{"_id": "", "text": "A?"}', ":4: has no _id"),
    ("queries.jsonl", '{"_id": true, "text": "A?"}', ":4: has no _id"),
    ("queries.jsonl", '{"_id": "q4"}', ":4: has no text"),
    ("queries.jsonl", '{"_id": "q4", "text": "  "}', ":4: has no text"),
    ("queries.jsonl", '{"_id": "q1", "text": "A?"}', ":4: a question with the _id 'q1' stands on line 1"),
    ("corpus.jsonl", '{"_id": "valve", "text": "A."}', ":4: a record with the _id 'valve' stands on line 2"),
    ("corpus.jsonl", '{"_id": "7", "text": "A."}', ":4: a record with the _id '7' stands on line 3"),
    ("corpus.jsonl", '{"_id": "", "text": "A."}', ":4: has no _id"),
    ("corpus.jsonl", '{"_id": "x", "text": "A.', ":4: is not JSON"),
    ("corpus.jsonl", "3", ":4: is not an object"),
    ("qrels.tsv", "q1\tpump", ":6: is not query, record and grade"),
    ("qrels.tsv", "q1\tpump\t", ":6: is not query, record and grade"),
    ("qrels.tsv", "q9\tpump\t1", ":6: no question has the _id 'q9'"),
    ("qrels.tsv", "q1\tfan\t1", ":6: no record of corpus.jsonl has the _id 'fan'"),
    ("qrels.tsv", "q1\tvalve\thigh", ":6: the grade 'high' is not a whole number"),
    ("qrels.tsv", "q1\tpump\t1", ":6: 'q1' and 'pump' are judged 2 above"),
]


@pytest.mark.parametrize(("name", "line", "said"), SLIPS)
def test_a_slip_is_named_with_file_and_line(folder: Path, name: str, line: str, said: str) -> None:
    with (folder / name).open("a") as file:
        file.write(line + "\n")
    with pytest.raises(BadSet) as caught:
        read_set(folder)
    assert f"{folder / name}{said}" in str(caught.value)


def test_bytes_that_are_no_text_are_named(folder: Path) -> None:
    with (folder / "queries.jsonl").open("ab") as file:
        file.write(b'{"_id": "q4", "text": "\xff"}\n')
    with pytest.raises(BadSet, match=r"queries\.jsonl:4: is not UTF-8 at byte 23"):
        read_set(folder)


def test_of_many_slips_the_first_five_are_shown_and_all_are_counted(folder: Path) -> None:
    (folder / "qrels.tsv").write_text("".join(f"q1\tfan{number}\t1\n" for number in range(12)))
    with pytest.raises(BadSet) as caught:
        read_set(folder)
    first, *shown, rest = str(caught.value).splitlines()
    assert first == "12 faults in the set:"
    assert [line.split(": ")[0] for line in shown] == [f"{folder}/qrels.tsv:{n}" for n in range(1, 6)]
    assert rest == "and 7 more"


def test_a_set_without_gold_is_refused(folder: Path) -> None:
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tpump\t0\n")
    with pytest.raises(BadSet, match=r"qrels\.tsv: no question of the set has gold"):
        read_set(folder)


@pytest.mark.parametrize("name", ["nowhere", "notes.txt", "empty"])
def test_what_is_no_set_is_refused_with_what_would_be_one(tmp_path: Path, name: str) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadSet, match=r"a set is a folder with corpus\.jsonl"):
        read_set(tmp_path / name)

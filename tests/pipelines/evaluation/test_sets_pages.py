"""Sets over PDFs: what labels lead to, and what is said of labels that lead nowhere."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pymupdf
import pytest
import treegraph
from hash_embedder import FakeHashEmbedder
from treegraph.indexer.errors import BadSet
from treegraph.pipelines.evaluation.places import ranking
from treegraph.pipelines.evaluation.sets.reading import read_set

WORDS = ("anchor", "bracket", "clamp", "drive", "engine", "flange", "gasket", "hinge", "joint", "key")


def lines(path: Path, values: Iterable[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(value) + "\n" for value in values), "utf-8")


def pdf(path: Path, words: Iterable[str] = WORDS, index: bool = False) -> Path:
    """A page a word; a printed index at the end if asked for."""
    path.parent.mkdir(parents=True, exist_ok=True)
    document = pymupdf.open()
    words = tuple(words)
    for word in words:
        document.new_page().insert_text((72, 72), f"This page is about the {word} of {path.stem}.")
    if index:
        page = document.new_page()
        for row, word in enumerate(sorted(words)):
            pages = [words.index(word) + 1]
            page.insert_text((72, 90 + 12 * row), f"{word}, {', '.join(map(str, pages))}")
    document.save(path)
    return path


def test_questions_over_all_pdfs_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "manuals"
    pdf(folder / "pdf" / "one.pdf")
    pdf(folder / "pdf" / "deep" / "two.pdf")
    lines(
        folder / "queries.jsonl",
        [
            {"_id": "a", "text": "clamp?", "pdf": "one.pdf", "page0": 2, "type": "fact", "answer": "x"},
            {"_id": "b", "text": "keys?", "file": "two.pdf", "pages0": [9, 0, 9], "source": "table"},
            {"_id": "c", "text": "joint?", "pdf": "deep/two.pdf", "pages0": [8]},
            {"_id": "d", "text": "hinge?", "pdf": "pdf/deep/two.pdf", "page0": 7},
        ],
    )
    (part,) = read_set(folder).parts
    assert (part.name, part.sources, part.unit) == ("manuals", (str(folder / "pdf"),), "page")
    assert [dict(question.gold) for question in part.questions] == [
        {"pdf/one.pdf@3": 1},
        {"pdf/deep/two.pdf@10": 1, "pdf/deep/two.pdf@1": 1},
        {"pdf/deep/two.pdf@9": 1},
        {"pdf/deep/two.pdf@8": 1},
    ]
    assert [dict(q.fields) for q in part.questions[:2]] == [
        {"type": "fact", "answer": "x"},
        {"source": "table"},
    ]
    assert part.left_out == frozenset()


def test_gold_is_spelled_as_hits_cite_it(tmp_path: Path) -> None:
    elsewhere = pdf(tmp_path / "else where" / "a\nb%20.pdf").parent
    pdf(elsewhere / "notes" / "other.pdf", ["letter"])
    (elsewhere / "notes" / "care.md").write_text("# Care\n\n## Oil & grease\n\nGrease bearings yearly.\n")
    lines(
        tmp_path / "set" / "queries.jsonl",
        [
            {"_id": "a", "text": "about the clamp", "pdf": "a\nb%20.pdf", "page0": 2},
            {
                "_id": "b",
                "text": "grease bearings",
                "file": "care.md",
                "sections": [["Care", "Oil & grease"]],
            },
        ],
    )
    (part,) = read_set(tmp_path / "set", elsewhere).parts
    embedder = FakeHashEmbedder()
    treegraph.build_index(part.sources, tmp_path / "index", embedder=embedder)
    with treegraph.open_index(tmp_path / "index", embedder=embedder) as index:
        for question in part.questions:
            assert question.gold.keys() <= set(ranking(index.search(question.text, k=9).hits, "page"))


def test_labels_alone_are_a_part_a_file(tmp_path: Path) -> None:
    pdfs = pdf(tmp_path / "manuals" / "one.pdf", WORDS[::-1], index=True).parent
    pdf(pdfs / "two.pdf")
    lines(tmp_path / "labels" / "one.jsonl", [{"_id": "1", "text": "clamp", "pages0": [7]}])
    lines(
        tmp_path / "labels" / "both.jsonl",
        [
            {"_id": "1", "text": "drive", "pdf": "one.pdf", "page0": 6},
            {"_id": "2", "text": "drive", "pdf": "two.pdf", "page0": 3},
        ],
    )
    lines(tmp_path / "labels" / "lost.jsonl", [{"_id": "1", "text": "drive", "page0": 6}])
    read = read_set(tmp_path / "labels", pdfs)
    assert [(p.name, p.sources) for p in read.parts] == [
        ("both", (str(pdfs / "one.pdf"), str(pdfs / "two.pdf"))),
        ("one", (str(pdfs / "one.pdf"),)),
    ]
    assert [dict(q.gold) for p in read.parts for q in p.questions] == [
        {"one.pdf@7": 1},
        {"two.pdf@4": 1},
        {"one.pdf@8": 1},
    ]
    assert [part.left_out for part in read.parts] == [frozenset({"one.pdf@11"})] * 2
    (note,) = read.notes
    assert note.startswith("lost.jsonl is left out")
    assert str(pdfs) in note


def test_one_file_of_labels_has_its_pdfs_beside_it(tmp_path: Path) -> None:
    pdf(tmp_path / "pdf" / "one.pdf")
    lines(tmp_path / "one.jsonl", [{"_id": "1", "text": "clamp", "page0": 2}])
    read = read_set(tmp_path / "one.jsonl")
    assert (read.name, read.path) == ("one", tmp_path / "one.jsonl")
    assert read.parts[0].sources == (str(tmp_path / "pdf" / "one.pdf"),)


def test_documents_of_one_name_get_names_of_their_own(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        pdf(tmp_path / "pdf" / folder / "one.pdf")
    lines(
        tmp_path / "one.jsonl",
        [
            {"_id": "1", "text": "This page is about the clamp", "pdf": "a/one.pdf", "page0": 2},
            {"_id": "2", "text": "This page is about the clamp", "pdf": "b/one.pdf", "page0": 2},
        ],
    )
    (part,) = read_set(tmp_path / "one.jsonl").parts
    embedder = FakeHashEmbedder()
    treegraph.build_index(part.sources, tmp_path / "index", embedder=embedder)
    with treegraph.open_index(tmp_path / "index", embedder=embedder) as index:
        found = ranking(index.search(part.questions[0].text, k=9).hits, "page")
    assert {place for question in part.questions for place in question.gold} <= set(found)


SLIPS = [
    ({"pdf": "one.pdf"}, 'has no gold: give it "page0", "pages0" or "sections"'),
    ({"page0": 1}, 'names no document: give it a "pdf"'),
    ({"pdf": 3, "page0": 1}, 'names no document: give it a "pdf"'),
    ({"pdf": "one.pdf", "page0": -1}, "page -1 is less than 0"),
    ({"pdf": "one.pdf", "page0": 10}, "there is no page 10: pdf/one.pdf has 10, counted from 0 to 9"),
    ({"pdf": "one.pdf", "page0": "3"}, "page0 is not a page number"),
    ({"pdf": "one.pdf", "page0": True}, "page0 is not a page number"),
    ({"pdf": "one.pdf", "pages0": []}, "pages0 is not a page number, counted from 0, or a list of them"),
    ({"pdf": "one.pdf", "sections": ["Care"]}, "sections is not a list of lists of titles"),
    ({"pdf": "one.pdf", "pages0": [1, 2], "grades": [1]}, "grades are not one whole number from 1 on"),
    ({"pdf": "three.pdf", "page0": 0}, "say where the PDFs are with --pdfs DIR"),
    ({"pdf": "two.pdf", "page0": 0}, "two.pdf may be any of pdf/a/two.pdf, pdf/b/two.pdf"),
]


@pytest.mark.parametrize(("label", "said"), SLIPS)
def test_a_slip_is_named_with_file_and_line(tmp_path: Path, label: dict[str, Any], said: str) -> None:
    pdf(tmp_path / "pdf" / "one.pdf")
    for folder in ("a", "b"):
        pdf(tmp_path / "pdf" / folder / "two.pdf", ["only"])
    good = {"_id": "1", "text": "clamp", "pdf": "one.pdf", "page0": 2}
    lines(tmp_path / "queries.jsonl", [good, {"_id": "2", "text": "what?", **label}])
    with pytest.raises(BadSet) as caught:
        read_set(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / 'queries.jsonl'}:2: ")
    assert said in str(caught.value)


def test_a_document_that_is_missing_is_said_once(tmp_path: Path) -> None:
    pdf(tmp_path / "pdf" / "one.pdf")
    labels = [{"_id": str(n), "text": "what?", "pdf": f"{n % 2}.pdf", "page0": 0} for n in range(40)]
    lines(tmp_path / "queries.jsonl", labels)
    with pytest.raises(BadSet) as caught:
        read_set(tmp_path)
    assert [line.split(" ")[0].rpartition("/")[2] for line in str(caught.value).splitlines()[1:]] == [
        "queries.jsonl:1:",
        "queries.jsonl:2:",
    ]


def test_labels_whose_documents_are_nowhere_say_where_it_looked(tmp_path: Path) -> None:
    lines(tmp_path / "one.jsonl", [{"_id": "1", "text": "clamp", "page0": 2}])
    with pytest.raises(BadSet) as caught:
        read_set(tmp_path)
    assert f"one.pdf is not in {tmp_path / 'pdf'}; say where the PDFs are with --pdfs DIR" in str(
        caught.value
    )
    with pytest.raises(BadSet, match="no such folder of PDFs"):
        read_set(tmp_path, tmp_path / "manuals")


def test_questions_whose_folder_of_pdfs_is_missing(tmp_path: Path) -> None:
    lines(tmp_path / "queries.jsonl", [{"_id": "1", "text": "clamp", "pdf": "one.pdf", "page0": 2}])
    with pytest.raises(BadSet, match="--pdfs DIR"):
        read_set(tmp_path)


def test_a_pdf_that_cannot_be_opened_is_left_to_the_build(tmp_path: Path) -> None:
    pdf(tmp_path / "pdf" / "one.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    lines(tmp_path / "one.jsonl", [{"_id": "1", "text": "clamp", "page0": 900}])
    read = read_set(tmp_path / "one.jsonl")
    assert dict(read.parts[0].questions[0].gold) == {"one.pdf@901": 1}
    assert "no printed index was looked for" in read.notes[0]


@pytest.mark.parametrize("name", ["queries.jsonl", "one.jsonl"])
def test_a_file_without_a_line_is_refused(tmp_path: Path, name: str) -> None:
    pdf(tmp_path / "pdf" / "one.pdf")
    (tmp_path / name).write_text("\n")
    with pytest.raises(BadSet, match=name if name == "queries.jsonl" else "one|no label"):
        read_set(tmp_path)

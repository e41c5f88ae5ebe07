"""Questions that more than one document answers: how labels say so, and that it is saved."""

from __future__ import annotations

import json
from pathlib import Path

import pymupdf
import pytest
from treegraph import ConfigurationError
from treegraph.pipelines.evaluation.questions import EvaluationSet, Part, Question
from treegraph.pipelines.evaluation.sets.reading import read_set, write_set

FURTHER = [{"pdf": "b.pdf", "pages0": [0, 2]}, {"file": "c.md", "sections": [["C", "Limits"]]}]
GOLD = {"pdf/a.pdf@2": 1, "pdf/b.pdf@1": 1, "pdf/b.pdf@3": 1, "pdf/c.md#C > Limits": 1}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    documents = tmp_path / "set" / "pdf"
    documents.mkdir(parents=True)
    for name in ("a", "b"):
        document = pymupdf.open()
        for page in range(3):
            document.new_page().insert_text((72, 72), f"{name} {page}")
        document.save(documents / f"{name}.pdf")
    (documents / "c.md").write_text("# C\n\n## Limits\n\nFour bar.\n", "utf-8")
    return tmp_path / "set"


def written(folder: Path, also: object, name: str = "queries.jsonl") -> Path:
    line = {"_id": "1", "text": "How much?", "pdf": "a.pdf", "page0": 1, "type": "fact", "also": also}
    (folder / name).write_text(json.dumps(line) + "\n", "utf-8")
    return folder


def test_a_label_may_name_further_documents(folder: Path) -> None:
    (part,) = read_set(written(folder, FURTHER)).parts
    assert part.questions == (Question("1", "How much?", GOLD, {"type": "fact"}),)


def test_labels_alone_may_name_them_too(folder: Path) -> None:
    (part,) = read_set(written(folder, FURTHER[:1], "a.jsonl") / "a.jsonl").parts
    assert dict(part.questions[0].gold) == {"a.pdf@2": 1, "b.pdf@1": 1, "b.pdf@3": 1}
    assert sorted(Path(source).name for source in part.sources) == ["a.pdf", "b.pdf"]


def test_what_is_saved_is_read_back(folder: Path, tmp_path: Path) -> None:
    graded = {**GOLD, "pdf/b.pdf@3": 2}
    question = Question("1", "How much?", graded, {"type": "fact"})
    made = EvaluationSet("own", (Part("own", (str(folder / "pdf"),), (question,), "page"),))
    write_set(made, tmp_path / "saved")
    assert read_set(tmp_path / "saved").parts == made.parts


def test_a_question_without_gold_is_not_saved(folder: Path, tmp_path: Path) -> None:
    made = EvaluationSet("own", (Part("own", (str(folder),), (Question("1", "How much?", {}),), "page"),))
    with pytest.raises(ConfigurationError, match="no gold"):
        write_set(made, tmp_path / "saved")


@pytest.mark.parametrize(
    ("also", "said"),
    [
        ("b.pdf", "also is not a list"),
        (["b.pdf"], "also is not a list"),
        ([{"page0": 1}], "names no document"),
        ([{"pdf": "b.pdf"}], "no gold"),
        ([{"pdf": "b.pdf", "page0": 3}], "no page 3"),
        ([{"pdf": "d.pdf", "page0": 0}], "d.pdf is not in"),
    ],
)
def test_slips_in_it_are_named_with_their_line(folder: Path, also: object, said: str) -> None:
    with pytest.raises(ConfigurationError, match=r"queries\.jsonl:1: ") as caught:
        read_set(written(folder, also))
    assert said in str(caught.value)

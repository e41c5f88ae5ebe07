"""Saving a set and reading it again."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from treegraph.indexer.errors import BadSet, ConfigurationError
from treegraph.pipelines.evaluation.places import page_place, section_place
from treegraph.pipelines.evaluation.questions import EvaluationSet, Part, Question, Withheld
from treegraph.pipelines.evaluation.sets.reading import read_set, write_set

PAGES = 6
TEXT = st.text(min_size=1).filter(str.strip)
PAGE = st.integers(1, PAGES)
TAKEN = {"_id", "text", "pdf", "file", "page0", "pages0", "sections", "grades", "also"}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(),
    lambda inner: st.lists(inner),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def manuals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents") / "manuals"
    folder.mkdir()
    document = pymupdf.open()
    for number in range(PAGES):
        document.new_page().insert_text((72, 72), f"Page {number}")
    document.save(folder / "one.pdf")
    (folder / "two.md").write_text("# Two\n\nText.\n")
    return folder


@st.composite
def questions(draw: st.DrawFn) -> list[Question]:
    made = []
    for identifier in draw(st.lists(TEXT, min_size=1, max_size=5, unique=True)):
        if draw(st.booleans()):
            places = [
                page_place("manuals/one.pdf", page) for page in draw(st.lists(PAGE, min_size=1, unique=True))
            ]
        else:
            paths = draw(st.lists(st.lists(TEXT, max_size=3), min_size=1, max_size=3))
            places = list(dict.fromkeys(section_place("manuals/two.md", path) for path in paths))
        gold = {place: draw(st.integers(1, 3)) for place in places}
        fields = draw(st.dictionaries(TEXT.filter(lambda key: key not in TAKEN), JSON, max_size=3))
        made.append(Question(identifier, draw(TEXT), gold, fields))
    return made


@st.composite
def parts(draw: st.DrawFn, folder: Path) -> Part:
    source = "manuals/one.pdf"
    withheld = [Withheld(draw(TEXT), draw(PAGE)) for _ in range(draw(st.integers(0, 3)))]
    return Part(
        draw(TEXT),
        (str(folder),),
        tuple(draw(questions())),
        "page",
        frozenset(page_place(source, page) for page in draw(st.sets(PAGE))),
        {source: tuple(withheld)} if withheld else {},
    )


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_what_is_saved_is_what_is_read(manuals: Path, data: st.DataObject) -> None:
    made = EvaluationSet(
        data.draw(TEXT), (data.draw(parts(manuals)),), None, tuple(data.draw(st.lists(TEXT)))
    )
    with tempfile.TemporaryDirectory() as folder:
        saved = Path(folder) / "saved"
        write_set(made, saved, seed=3)
        write_set(made, saved, seed=3)
        assert sorted(entry.name for entry in saved.iterdir()) == ["queries.jsonl", "set.toml"]
        assert replace(read_set(saved), path=None) == made


@pytest.fixture
def made(manuals: Path) -> EvaluationSet:
    question = Question("q1", "Where is it?", {"manuals/one.pdf@2": 1}, {"type": "index"})
    return EvaluationSet("own", (Part("own", (str(manuals),), (question,), "page"),))


def test_a_person_may_edit_it_and_it_is_not_overwritten(made: EvaluationSet, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    write_set(made, folder)
    file = folder / "queries.jsonl"
    file.write_text(file.read_text().replace("Where is it?", "Where is the pump?"))
    assert read_set(folder).parts[0].questions[0].text == "Where is the pump?"
    with pytest.raises(ConfigurationError, match=r"another queries\.jsonl, perhaps edited"):
        write_set(made, folder)
    assert "the pump" in file.read_text()


def test_sources_may_be_relative_to_the_set(manuals: Path, made: EvaluationSet, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    write_set(made, folder)
    (tmp_path / "here").symlink_to(manuals)
    text = (folder / "set.toml").read_text()
    (folder / "set.toml").write_text(text.replace(str(manuals), "manuals=../here"))
    (part,) = read_set(folder).parts
    assert part.sources == (f"manuals={tmp_path / 'here'}",)
    assert part.questions == made.parts[0].questions


@pytest.mark.parametrize("name", ["notes.txt", "corpus.jsonl"])
def test_a_folder_that_holds_other_things_is_refused(made: EvaluationSet, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(ConfigurationError, match=f"holds other things .{name}"):
        write_set(made, tmp_path)
    with pytest.raises(ConfigurationError, match="is a file"):
        write_set(made, tmp_path / name)
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_what_cannot_be_read_again_is_not_saved(made: EvaluationSet, tmp_path: Path) -> None:
    part = made.parts[0]
    several = replace(made, parts=(part, part))
    records = replace(made, parts=(replace(part, unit="record"),))
    hidden = replace(part.questions[0], fields={"page0": 3})
    for wrong in (several, records, replace(made, parts=(replace(part, questions=(hidden,)),))):
        with pytest.raises(ConfigurationError, match="cannot be saved"):
            write_set(wrong, tmp_path / "saved")
    assert not (tmp_path / "saved").exists()


@pytest.mark.parametrize(
    ("settings_text", "said"),
    [
        ("version = 2", "version is not 1"),
        ("version = 1\nsources = ", "is not TOML"),
        ("version = 1\nsource = ['a']", "does not know source"),
        ("version = 1", 'has no "sources"'),
        ("version = 1\nsources = 'a'", "sources is not a list of texts"),
        ("version = 1\nsources = [S]\nname = 3", "name is not a text"),
        ("version = 1\nsources = [S]\nleft_out = {'manuals/one.pdf' = [0]}", "left_out is not a table"),
        ("version = 1\nsources = [S]\nleft_out = {'three.pdf' = [1]}", "three.pdf is not in"),
        (
            "version = 1\nsources = [S]\nwithheld = [{source = 'manuals/one.pdf', title = 'A'}]",
            "withheld is not",
        ),
    ],
)
def test_a_slip_in_its_settings_is_named(
    made: EvaluationSet, manuals: Path, tmp_path: Path, settings_text: str, said: str
) -> None:
    folder = tmp_path / "saved"
    write_set(made, folder)
    (folder / "set.toml").write_text(settings_text.replace("S]", f"'{manuals}']"))
    with pytest.raises(BadSet) as caught:
        read_set(folder)
    assert str(caught.value).startswith(f"{folder / 'set.toml'}: ")
    assert said in str(caught.value)


def test_a_document_that_is_gone_is_named_by_the_questions_about_it(
    made: EvaluationSet, tmp_path: Path
) -> None:
    write_set(made, tmp_path / "saved")
    text: Any = (tmp_path / "saved" / "queries.jsonl").read_text()
    (tmp_path / "saved" / "queries.jsonl").write_text(text.replace("one.pdf", "three.pdf"))
    with pytest.raises(BadSet, match=r"queries\.jsonl:1: manuals/three\.pdf is not in"):
        read_set(tmp_path / "saved")

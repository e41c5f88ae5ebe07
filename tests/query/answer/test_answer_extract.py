"""Answers without a model: sentences of the documents, each with its place, or that they do not say."""

from __future__ import annotations

from pathlib import Path

import pytest
import treegraph
from small_index import manual
from treegraph.query.index import Index


@pytest.mark.parametrize(
    ("question", "text", "source"),
    [
        (
            "At what pressure does the relief valve RV-7 open?",
            "The relief valve RV-7 of the feed pump opens at 8 bar. [1]",
            "mill/pump.md",
        ),
        (
            "When does the feed pump start?",
            "The feed pump starts only if the interlock LK2 is closed. [1]",
            "mill/pump.md",
        ),
        (
            "Wie oft wird das Sieb der Mühle gereinigt?",
            "Das Sieb der Mühle wird alle 30 Tage gereinigt. [1]",
            "mill/muehle.md",
        ),
        ("磨坊的筛子多久清洗一次？", "磨坊的筛子每三十天清洗一次。 [1]", "mill/磨坊.md"),
    ],
)
def test_an_extract_is_the_sentence_that_answers_with_its_place(
    mill: Index, question: str, text: str, source: str
) -> None:
    answer = mill.ask(question)
    assert answer.text == text
    assert [citation.source for citation in answer.citations] == [source]
    assert answer.sentences[0].citations == answer.citations
    assert (answer.found, answer.grounded, answer.model, answer.calls) == (True, True, "", 0)


def test_a_row_of_a_table_is_told_with_its_columns_and_its_group(mill: Index) -> None:
    answer = mill.ask("How often is the outer ring greased?")
    told = [sentence.text for sentence in answer.sentences]
    assert "Drive end, Outer ring: Interval 900 h; Grease GX-5" in told


def test_a_list_comes_with_the_line_that_leads_to_it_without_a_colon(tmp_path: Path) -> None:
    text = (
        "# The pump\n\nThe pump is started by hand at its own switch. The pump stops when\n\n"
        "- the tank is full,\n- the motor is hot, or\n- somebody asks for it.\n"
    )
    treegraph.build_index([manual(tmp_path / "pumps", pump=text)], tmp_path / "index")
    with treegraph.open_index(tmp_path / "index") as index:
        text = index.ask("When does the pump stop?").text
    assert text.startswith("The pump stops when:")
    assert "the motor is hot" in text


def test_words_that_ask_for_a_figure_need_no_answer(tmp_path: Path) -> None:
    text = "# Modes\n\nThere are five modes of work.\n\n# Divisor\n\nHow many periods pass between two.\n"
    treegraph.build_index([manual(tmp_path / "modes", modes=text)], tmp_path / "index")
    with treegraph.open_index(tmp_path / "index") as index:
        assert index.ask("How many modes are there?").text.startswith("There are five modes of work.")


def test_what_a_colon_announces_comes_along(mill: Index) -> None:
    answer = mill.ask("What must be done before the feed pump is started?")
    steps = next(sentence.text for sentence in answer.sentences if "do this" in sentence.text)
    assert steps.splitlines()[1:] == ["- open the inlet", "- close the drain", "- close LK2"]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is the capital of Mongolia?", "The documents do not say."),
        ("Wie backe ich ein Brot mit Sauerteig?", "Die Dokumente sagen dazu nichts."),
        ("蒙古的首都是哪里？", "文档中没有说明。"),
        ("モンゴルの首都はどこですか？", "文書には記載がありません。"),
        ("몽골의 수도는 어디입니까?", "문서에는 나와 있지 않습니다."),
    ],
)
def test_where_the_documents_do_not_say_the_answer_says_so_in_the_question_s_language(
    mill: Index, question: str, said: str
) -> None:
    answer = mill.ask(question)
    assert (answer.found, answer.grounded, answer.text) == (False, False, said)
    assert not answer.sentences
    assert not answer.citations
    assert 0 < len(answer.nearest) <= 3


def test_the_language_that_was_asked_for_is_that_of_the_answer_s_own_words(mill: Index) -> None:
    asked = mill.ask("What is the capital of Mongolia?", language="German")
    assert asked.text == "Die Dokumente sagen dazu nichts."
    with pytest.raises(treegraph.ConfigurationError, match="not known"):
        mill.ask("What is the capital of Mongolia?", language="Martian")


def test_nothing_that_a_reader_may_not_see_is_said_or_named(mill: Index) -> None:
    question = "How much does the miller earn?"
    assert "4711 crowns" in mill.ask(question, labels=["office"]).text
    told = mill.ask(question, labels=[]).to_json()
    assert "4711 crowns" not in str(told)
    assert "pay.md" not in str(told)
    assert not told["found"]


def test_editions_that_state_other_figures_are_shown_side_by_side_the_newest_first(mill: Index) -> None:
    answer = mill.ask("When must the drum be stopped?")
    (conflict,) = answer.conflicts
    assert [(said.edition, str(said.valid_from)) for said in conflict.statements] == [
        ("3", "2023-05-01"),
        ("2", "2019-03-01"),
    ]
    assert "60 minutes" in conflict.statements[0].text
    assert "40 minutes" in conflict.statements[1].text
    assert "60 minutes" in answer.text
    assert not mill.ask("How long does the drum cool?").conflicts


def test_a_piece_of_text_comes_as_soon_as_there_is_one(mill: Index) -> None:
    pieces: list[str] = []
    answer = mill.ask("At what pressure does RV-7 open?", on_text=pieces.append)
    assert "".join(pieces) == answer.text


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"budget": 5}, "answer.budget"),
        ({"deadline": 0}, "deadline must be above 0"),
        ({"history": "what?"}, "history takes a list"),
        ({"history": [("one",)]}, "history takes pairs"),
        ({"labels": "office"}, "labels takes a list"),
    ],
)
def test_wrong_arguments_are_named(mill: Index, wrong: dict[str, object], message: str) -> None:
    with pytest.raises(treegraph.ConfigurationError, match=message):
        mill.ask("When does the gate close?", **wrong)  # type: ignore[arg-type]
    with pytest.raises(treegraph.ConfigurationError, match="empty"):
        mill.ask(" ")


def test_a_row_far_below_the_head_of_its_table_names_its_columns_and_the_caption(tmp_path: Path) -> None:
    rows = "\n".join(f"| K{n} | {200 + n} V | {n} A | pump of tank {n} |" for n in range(1, 90))
    text = f"# Board\n\nTable 4: Relays\n\n| Relay | Coil | Current | Switches |\n|---|---|---|---|\n{rows}\n"
    treegraph.build_index([manual(tmp_path / "board", board=text)], tmp_path / "index")
    with treegraph.open_index(tmp_path / "index") as index:
        answer = index.ask("What is the coil voltage of the relay K71?")
    assert (
        answer.sentences[0].text
        == "K71: Coil 271 V; Current 71 A; Switches pump of tank 71 (Table 4: Relays)"
    )


def test_the_sentence_that_fits_best_comes_first_and_a_number_that_is_asked_for_counts(
    tmp_path: Path,
) -> None:
    text = (
        "# Service\n\nThe filter must be replaced every six months. The seal of the pump must be replaced "
        "every year. The gasket must be replaced every two years.\n"
    )
    treegraph.build_index([manual(tmp_path / "service", pump=text)], tmp_path / "index")
    with treegraph.open_index(tmp_path / "index") as index:
        said = [
            index.ask(f"What must be replaced every {often}?").sentences[0].text
            for often in ("six months", "year", "two years")
        ]
    assert [sentence.split()[1] for sentence in said] == ["filter", "seal", "gasket"]

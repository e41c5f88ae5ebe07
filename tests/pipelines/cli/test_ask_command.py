"""The command ``ask``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Here
from fake_openai import Answer, FakeOpenAIServer
from treegraph.pipelines.cli import ask as command
from treegraph.pipelines.cli.turns import read_turns

QUESTION = "How is the pump controller reset?"
SENTENCE = "Hold the green key for five seconds to reset the pump controller."


def test_an_answer_comes_with_its_numbered_pages(here: Here) -> None:
    done = here("ask", QUESTION)
    assert done.code == 0
    text, _, places = done.out.partition("\n\n")
    assert text.startswith(f"{SENTENCE} [1]")
    assert places.split("\n")[0].split() == ["[1]", "manuals/pump.pdf", "p.", "1", "Use"]
    assert not done.err


def test_the_document_of_an_answer_is_that_of_its_search_and_more(here: Here) -> None:
    answer = here("ask", QUESTION, "--json", "--explain").json("ask")
    assert answer["answer"].startswith(SENTENCE)
    assert answer["sentences"][0]["citations"][0]["pages"] == [1]
    assert (answer["grounded"], answer["found"], answer["calls"], answer["model"]) == (True, True, 0, "")
    assert answer["hits"][0]["explanation"]
    found = here("search", QUESTION, "--json").json("search")
    assert [hit["id"] for hit in answer["hits"]] == [hit["id"] for hit in found["hits"]]
    assert set(found) <= set(answer)
    assert "explanation" not in here("ask", QUESTION, "--json").json("ask")


def test_where_the_documents_do_not_say_the_exit_code_is_four(here: Here) -> None:
    done = here("ask", "Who won the chess tournament of Wijk aan Zee?")
    assert done.code == 4
    assert done.out.startswith("The documents do not say.\n\nnearest:\n")
    assert "manuals/" in done.out
    answer = here("ask", "Wer hat das Schachturnier von Wijk aan Zee gewonnen?", "--json")
    assert answer.code == 4
    document = answer.json("ask")
    assert (document["found"], document["answer"]) == (False, "Die Dokumente sagen dazu nichts.")
    assert document["nearest"]


def test_how_many_is_told_beside_the_answer(here: Here) -> None:
    done = here("ask", "How many documents are there?")
    assert "documents for 'documents': all of them" in done.out
    assert "pump.pdf, Valve" in done.out
    document = here("ask", "How many documents are there?", "--json").json("ask")
    (group,) = document["enumeration"]["groups"]
    assert f"{group['count']} documents for" in done.out
    assert done.out.count("documents for") == 1
    assert here("ask", "How many documents are there?", "--explain").out.count("documents for") == 1


def test_the_options_of_a_search_narrow_an_answer(here: Here) -> None:
    assert here("ask", "When does the warranty end?").code == 0
    assert here("ask", "When does the warranty end?", "--labels", "").code == 4
    assert here("ask", QUESTION, "--source", "*valve*", "--json").json("ask")["sentences"] == []
    assert here("ask", QUESTION, "--budget", "3").code == 2
    assert here("ask", QUESTION, "--language", "Martian").code == 2
    assert here("ask", " ").code == 2


def test_a_model_is_named_on_the_command_line(here: Here) -> None:
    good = "Hold the green key for five seconds. [1]"
    with FakeOpenAIServer(lambda prompt, number: Answer(good)) as server:
        done = here("ask", QUESTION, "--llm", f"small@{server.base_url}", "--json")
        answer = done.json("ask")
        assert (answer["model"], answer["calls"], answer["tokens"]["estimated"]) == ("small", 1, False)
        assert "in English" in server.prompts[0]
        here("ask", QUESTION, "--llm", f"small@{server.base_url}", "--language", "de")
        assert "in German" in server.prompts[1]
        capped = here("ask", QUESTION, "--llm", f"small@{server.base_url}", "--max-calls", "0")
        assert (capped.code, len(server.prompts)) == (0, 2)
        assert "since the model failed: a call was not made: 0 of --max-calls 0 are made" in capped.err
        assert here("ask", QUESTION, "--llm", f"small@{server.base_url}", "--max-cost", "1").code == 2


def test_a_model_that_is_gone_is_noted_and_the_extract_shown(here: Here) -> None:
    with FakeOpenAIServer(lambda prompt, number: Answer("no", status=401)) as server:
        done = here("ask", QUESTION, "--llm", f"small@{server.base_url}")
    assert done.code == 0
    assert done.out.startswith(SENTENCE)
    said = "treegraph: this is an extract of the documents, since the model failed: small"
    assert done.err.startswith(said)
    assert "401" in done.err
    assert done.err.count("\n") == 1


def test_an_agentic_answer_shows_its_searches_where_they_are_asked_for(here: Here) -> None:
    search = {"question": "pump controller \x1b[2J key", "route": "hybrid"}
    named = json.dumps({"enough": False, "missing": "which key", "searches": [search]})
    enough = '{"enough": true}'

    def script(prompt: str, number: int) -> Answer:
        if "Judge whether" not in prompt:
            return Answer("Hold the green key for five seconds. [1]")
        return Answer(enough if "pump controller" in prompt.partition("were made:")[2][:200] else named)

    with FakeOpenAIServer(script) as server:
        model = ("--llm", f"small@{server.base_url}", "--agentic")
        answer = here("ask", QUESTION, *model, "--json").json("ask")
        plain = here("ask", "When is the membrane filter replaced?", *model)
        told = here("ask", "When is the membrane filter replaced?", *model, "-v")
    assert [step["enough"] for step in answer["steps"]] == [True]
    assert "searches:" not in plain.out
    assert told.out.startswith(plain.out.rstrip())
    _, _, trace = told.out.partition("\nsearches:\n")
    assert [line.split()[0] for line in trace.splitlines()] == ["1.", "missing:", "2.", "the"]
    assert "missing: which key" in trace
    assert "\x1b" not in trace


def test_an_agentic_answer_without_a_model_is_a_mistake(here: Here) -> None:
    done = here("ask", QUESTION, "--agentic")
    assert done.code == 2
    assert "--llm MODEL@URL" in done.err


def test_an_answer_may_have_a_deadline(here: Here) -> None:
    assert here("ask", QUESTION, "--deadline", "60").code == 0
    late = here("ask", QUESTION, "--deadline", "0.000001", "--json")
    assert (late.code, late.json("error")["error"]["type"]) == (3, "WorkError")  # not: they do not say
    assert here("ask", QUESTION, "--deadline", "0").code == 2
    assert here("ask", QUESTION, "--deadline", "soon").code == 2


def test_a_sentence_that_is_not_grounded_is_pointed_out(here: Here) -> None:
    said = "Hold the green key for nine seconds to reset it. [1]"
    with FakeOpenAIServer(lambda prompt, number: Answer(said)) as server:
        done = here("ask", QUESTION, "--llm", f"small@{server.base_url}")
    assert done.code == 0
    assert "\nnot in what it cites:\n  " in done.out
    assert "nine seconds: Hold the green key for nine" in done.out.partition("not in what")[2]


def test_an_earlier_answer_is_the_history_of_a_follow_up(here: Here, tmp_path: Path) -> None:
    earlier = tmp_path / "earlier.json"
    earlier.write_text(here("ask", "When is the membrane filter replaced?", "--json").out, "utf-8")
    done = here("ask", "And why that often?", "--history", str(earlier), "--json").json("ask")
    assert "membrane" in str(done["sentences"])
    (tmp_path / "broken.json").write_text('["one", "two"]\nnothing\n', "utf-8")
    failed = here("ask", "Why?", "--history", str(tmp_path / "broken.json"))
    assert failed.code == 2
    assert "broken.json:2: not JSON" in failed.err


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([["When?", "At noon."], ["Why?", "So."]]),
        '["When?", "At noon."]\n["Why?", "So."]\n',
        '{"question": "When?", "answer": "At noon."}\n{"question": "Why?", "answer": "So."}\n',
    ],
)
def test_turns_are_read_in_the_ways_that_they_are_kept(tmp_path: Path, text: str) -> None:
    (tmp_path / "turns").write_text(text, "utf-8")
    turns = [tuple(turn) for turn in read_turns(tmp_path / "turns")]
    assert turns == [("When?", "At noon."), ("Why?", "So.")]


@pytest.mark.parametrize("cut", [None, 4])
def test_on_a_terminal_the_answer_is_written_as_it_comes(
    here: Here, monkeypatch: pytest.MonkeyPatch, cut: int | None
) -> None:
    monkeypatch.setattr(command.sys.stdout.__class__, "isatty", lambda self: True, raising=False)
    said = "Hold the green key. [1] Then wait for five seconds. [1]"
    with FakeOpenAIServer(lambda prompt, number: Answer(said, cut=cut)) as server:
        done = here("ask", QUESTION, "--llm", f"small@{server.base_url}")
    assert done.code == 0
    assert done.out.startswith("Hold the green key. [1]")
    if cut is None:
        assert done.out.count("Hold the green key") == 1
        assert not done.err
    else:
        assert "what was shown so far is not the answer" in done.err
        assert SENTENCE in done.out

"""The tool ``ask``: the index's own answers, their places, and what is doubtful about them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_openai import Answer, FakeOpenAIServer
from jsonschema import Draft202012Validator
from small_mill import build_mill, open_mill, write_mill
from small_shelf import COUNT, LEAST, joined, pages
from treegraph.query.index import Index
from treegraph.query.tools.kept import ANSWERS_KEPT
from treegraph.query.tools.shapes import output_schema
from treegraph.query.tools.tool import Desk
from treegraph.query.tools.toolbox import Toolbox, tools_of

QUESTION = "At what pressure does the relief valve RV-7 of the feed pump open?"


@pytest.fixture(scope="module")
def mill_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("mill")
    return build_mill(home / "index", write_mill(home / "mill"))


@pytest.fixture(scope="module")
def mill(mill_path: Path) -> Iterator[Index]:
    with open_mill(mill_path) as index:
        yield index


def asked(index: Index, question: str, labels: tuple[str, ...] = (), **arguments: Any) -> dict[str, Any]:
    """The answer, in as many pages as it takes."""
    tools = Toolbox(Desk(index, labels), LEAST, tools_of(ask=index.ask))
    shown = pages(tools, "ask", question=question, **arguments)
    for page in shown:
        Draft202012Validator(output_schema(tools.tools["ask"].shape)).validate(page)
    return {**shown[0], "parts": joined(shown, "parts")}


def parts(answer: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [part for part in answer["parts"] if part["kind"] == kind]


def test_an_answer_comes_with_its_places(mill: Index) -> None:
    answer = asked(mill, QUESTION)
    assert (answer["found"], answer["grounded"], answer.get("model")) == (True, True, None)
    text, place = parts(answer, "answer")[0]["text"], parts(answer, "place")[0]
    assert text.startswith(mill.ask(QUESTION, labels=[]).sentences[0].text)
    assert "[1]" in text
    assert (place["mark"], place["source"]) == (1, "mill/pump.md")
    assert place["section"].startswith("Feed pump > ")
    assert mill.read(place["chunk"]).citations[0].source == "mill/pump.md"


def test_editions_that_differ_are_told_apart(mill: Index) -> None:
    answer = asked(mill, "After how many minutes of grinding must the drum be stopped?")
    (conflict,) = parts(answer, "conflict")
    assert {name: "minutes" in text for name, text in conflict["editions"].items()} == {"2": True, "3": True}


def test_what_the_documents_do_not_say_comes_with_the_nearest_places(mill: Index) -> None:
    answer = asked(mill, "What does the moon weigh?")
    assert (answer["found"], parts(answer, "place")) == (False, [])
    assert "search" in answer["hint"]
    assert all(place["source"].startswith("mill/") for place in parts(answer, "nearest"))


def test_the_answer_is_the_reader_s_and_keeps_to_its_conditions(mill: Index) -> None:
    question = "How many crowns does the miller earn a year?"
    assert "4711" in parts(asked(mill, question, ("office",)), "answer")[0]["text"]
    assert "4711" not in str(asked(mill, question))
    elsewhere = asked(mill, QUESTION, sources=["mill/visitors.md"])
    assert "mill/pump.md" not in str(elsewhere)


def test_what_stands_in_no_source_is_doubtful(mill_path: Path) -> None:
    def lying(prompt: str, number: int) -> Answer:
        before = prompt[: prompt.index("RV-7 of the feed")]
        mark = before[before.rindex('<passage id="') :].split('"')[1]
        return Answer(f"RV-7 opens at 8 bar [{mark}]. It weighs 93 kg [{mark}].")

    with FakeOpenAIServer(lying) as server, open_mill(mill_path, server.base_url) as mill:
        answer = asked(mill, QUESTION)
    assert (answer["model"], answer["grounded"]) == ("m", False)
    (doubt,) = parts(answer, "doubt")
    assert "93" in doubt["text"]
    assert any("93" in flag for flag in doubt["flags"])


def test_a_bad_condition_is_refused_before_a_model_is_asked(mill: Index) -> None:
    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("asked")

    tools = Toolbox(Desk(mill, ()), LEAST, tools_of(ask=never))
    for wrong in ({"filters": ["edition"]}, {"as_of": "2025-02-31"}, {"question": " "}):
        reply = tools.call("ask", {"question": QUESTION, **wrong})
        assert reply.failed
        assert "asked" not in reply.text
        assert COUNT(reply.text) <= LEAST


class Counted:
    """Asks the index, and counts how often."""

    def __init__(self, index: Index) -> None:
        self.asked = 0
        self._index = index

    def __call__(self, question: str, **arguments: Any) -> Any:
        self.asked += 1
        return self._index.ask(question, **arguments)


def begun(mill: Index) -> tuple[Toolbox, Counted, dict[str, Any]]:
    """The tools, and the first page of an answer that goes on."""
    ask = Counted(mill)
    tools = Toolbox(Desk(mill, ()), 180, tools_of(ask=ask))
    first = tools.call("ask", {"question": QUESTION}).document
    assert first["more"]
    return tools, ask, first


def test_the_next_page_of_an_answer_asks_no_model_anew(mill: Index) -> None:
    tools, ask, first = begun(mill)
    for number in range(40):
        assert not tools.call("search", {"question": f"pump {number}"}).failed
    reply = tools.call("ask", {"question": QUESTION, "cursor": first["more"]})
    assert (reply.failed, ask.asked) == (False, 1)


def test_an_answer_that_is_no_longer_kept_is_not_asked_for_unknowingly(mill: Index) -> None:
    tools, ask, first = begun(mill)
    for number in range(ANSWERS_KEPT):
        tools.call("ask", {"question": f"{QUESTION} {number}"})
    asked = ask.asked
    reply = tools.call("ask", {"question": QUESTION, "cursor": first["more"]})
    assert (reply.failed, ask.asked) == (True, asked)
    assert "no longer kept" in reply.document["error"]
    assert "costs a call" in reply.document["try"]
    assert not tools.call("ask", {"question": QUESTION}).failed


def test_an_answer_in_use_is_kept_longer_than_one_that_is_not(mill: Index) -> None:
    tools, ask, first = begun(mill)
    for number in range(2 * ANSWERS_KEPT):
        tools.call("ask", {"question": f"{QUESTION} {number}"})
        assert not tools.call("ask", {"question": QUESTION, "cursor": first["more"]}).failed
    assert ask.asked == 1 + 2 * ANSWERS_KEPT

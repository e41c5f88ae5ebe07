"""Answers that take several searches: what a model may decide of them, and what ends them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import treegraph
from fake_openai import Answer, FakeOpenAIServer
from small_mill import open_mill
from treegraph.query.answer.result import Answer as Told
from treegraph.query.index import Index

QUESTION = "At what pressure does the relief valve RV-7 of the feed pump open?"
GREASE = "Which grease does the outer ring of the bearing get?"
SIEVE = "Wie oft wird das Sieb der Mühle gereinigt?"
VALVE = "RV-7 of the feed"


def cited(prompt: str, words: str) -> str:
    """The mark of the passage that holds these words."""
    before = prompt[: prompt.index(words)]
    number = before[before.rindex('<passage id="') :].split('"')[1]
    return f"[{number}]"


def judges(prompt: str) -> bool:
    return "Judge whether these passages" in prompt


def verdict(*searches: tuple[str, str], enough: bool = False, **more: Any) -> Answer:
    named = [{"question": question, "route": route, **more} for question, route in searches]
    return Answer(json.dumps({"enough": enough, "missing": "the grease", "searches": named}))


class Model:
    """Gives these verdicts in turn, and writes an answer that cites the passage with ``words``."""

    def __init__(self, *verdicts: Answer, words: str = VALVE, said: str = "RV-7 opens at 8 bar.") -> None:
        self.verdicts = verdicts
        self.judged: list[str] = []
        self.wrote: list[str] = []
        self._words, self._said = words, said

    def __call__(self, prompt: str, number: int) -> Answer:
        if judges(prompt):
            self.judged.append(prompt)
            return self.verdicts[min(len(self.judged), len(self.verdicts)) - 1]
        self.wrote.append(prompt)
        return Answer(f"{self._said} {cited(prompt, self._words)}")

    def ask(self, index: Path, question: str = QUESTION, *, k: int = 2, **options: Any) -> Told:
        """Ask this model, with at most ``k`` hits a search; options in ``[answer]`` go there."""
        settings = {name: options.pop(name) for name in ("steps", "agent_tokens") if name in options}
        with FakeOpenAIServer(self) as server, open_mill(index, server.base_url, **settings) as mill:
            return mill.ask(question, k=k, agentic=True, **options)


class Desk:
    """The mill, opened once, with another model behind one server for each question."""

    def __init__(self) -> None:
        self.model = Model()
        self.mill: Index

    def ask(self, model: Model, question: str = QUESTION, *, k: int = 2, **options: Any) -> Told:
        self.model = model
        return self.mill.ask(question, k=k, agentic=True, **options)


@pytest.fixture(scope="module")
def desk(mill_path: Path) -> Iterator[Desk]:
    desk = Desk()
    with (
        FakeOpenAIServer(lambda prompt, number: desk.model(prompt, number)) as server,
        open_mill(mill_path, server.base_url) as desk.mill,
    ):
        yield desk


def test_enough_at_once_is_one_search_and_two_calls(desk: Desk) -> None:
    model = Model(verdict(enough=True))
    answer = desk.ask(model)
    assert (answer.text, answer.grounded, answer.calls) == ("RV-7 opens at 8 bar. [1]", True, 2)
    (step,) = answer.steps
    assert (step.round, step.question, step.route, step.found) == (1, QUESTION, "hybrid", 2)
    assert (step.enough, step.missing, step.why) == (True, "", "the evidence is enough")
    assert 100 < step.tokens < answer.tokens.tokens_in + answer.tokens.tokens_out
    assert "RV-7 of the feed pump opens" in model.judged[0]
    assert f"- {QUESTION} (hybrid)" in model.judged[0]
    assert not answer.result.degraded


def test_what_a_further_search_finds_is_evidence_beside_the_first(desk: Desk) -> None:
    model = Model(
        verdict((GREASE, "hybrid")), verdict(enough=True), words="GX-5", said="The outer ring gets GX-5."
    )
    answer = desk.ask(model, k=1)
    assert [(step.round, step.question, step.found, step.enough) for step in answer.steps] == [
        (1, QUESTION, 1, False),
        (2, GREASE, 1, True),
    ]
    assert answer.steps[0].missing == "the grease"
    assert not answer.steps[0].why
    assert (answer.text, answer.grounded) == ("The outer ring gets GX-5. [1]", True)
    for prompt in (model.judged[1], model.wrote[0]):
        assert VALVE in prompt
        assert "GX-5" in prompt
    assert len(answer.result.hits) == 2
    assert answer.result.question == QUESTION
    assert "further searches" in answer.result.route.why
    assert answer.to_json()["steps"][1]["question"] == GREASE


def test_evidence_of_all_searches_is_within_the_budget_and_nothing_twice(desk: Desk) -> None:
    model = Model(verdict((GREASE, "hybrid"), (SIEVE, "hybrid"), ("What opens at 8 bar?", "hybrid")))
    answer = desk.ask(model, k=10)
    assert len({hit.id for hit in answer.result.hits}) == len(answer.result.hits)
    assert model.wrote[0].count("RV-7 of the feed pump opens") == 1
    scores = [hit.score for hit in answer.result.hits]
    assert scores == sorted(scores, reverse=True)
    small = Model(verdict((GREASE, "hybrid")))
    desk.ask(small, k=10, budget=60)
    assert small.wrote[0].count("<passage id=") < model.wrote[0].count("<passage id=")
    assert VALVE in small.wrote[0]


def test_a_question_that_finds_nothing_itself_may_lead_to_what_does(mill_path: Path, desk: Desk) -> None:
    model = Model(verdict((QUESTION, "hybrid")), verdict(enough=True))
    answer = desk.ask(model, "Mongolia Ulaanbaatar?")
    assert "<passage id=" not in model.judged[0]
    assert (answer.found, answer.grounded, len(answer.steps)) == (True, True, 2)
    nothing = Model(verdict(("Tashkent Uzbekistan?", "hybrid")), verdict(enough=True))
    answer = desk.ask(nothing, "Mongolia Ulaanbaatar?")
    assert (answer.found, answer.text, nothing.wrote) == (False, "The documents do not say.", [])
    named = Model(verdict((QUESTION, "hybrid")), verdict(enough=True))
    gone = FakeOpenAIServer(lambda p, n: named(p, n) if judges(p) else Answer("", status=401))
    with gone as server, open_mill(mill_path, server.base_url) as mill:
        answer = mill.ask("Mongolia Ulaanbaatar?", agentic=True)
    assert (answer.found, answer.result.degraded) == (False, ("llm",))


@pytest.mark.parametrize(
    "said",
    [
        "I think so.",
        '{"enough": "yes"}',
        '{"enough": false}',
        '{"enough": false, "missing": 1, "searches": []}',
        '{"enough": false, "searches": ["pump"]}',
        '{"enough": ' + "[" * 3000 + "]" * 3000 + "}",
        '{"enough": false, "searches": [{"question": " ", "route": "hybrid"}]}',
        '{"enough": false, "searches": [{"question": "pump", "route": "graph"}]}',
        '{"enough": false, "searches": [{"question": "pump", "route": ["hybrid"]}]}',
    ],
)
def test_a_verdict_out_of_form_is_asked_for_once_more_and_then_enough(desk: Desk, said: str) -> None:
    model = Model(Answer(said))
    answer = desk.ask(model)
    assert len(model.judged) == 2
    assert "Your last answer was not usable (" in model.judged[1]
    assert (answer.steps[0].enough, len(answer.steps), answer.grounded) == (True, 1, True)
    assert answer.faults == {"a verdict out of form": 2}
    mended = Model(Answer(said), Answer('<think>{"enough"</think>```json\n{"enough": true}\n```'))
    assert desk.ask(mended).faults == {"a verdict out of form": 1}


def test_a_verdict_that_repeats_the_prompt_is_none(mill_path: Path) -> None:
    def script(prompt: str, number: int) -> Answer:
        canary = prompt[prompt.index("TASK-") :].split()[0]
        return verdict((f"{canary} pump", "hybrid")) if judges(prompt) else Model()(prompt, number)

    with FakeOpenAIServer(script) as server, open_mill(mill_path, server.base_url) as mill:
        answer = mill.ask(QUESTION, agentic=True)
    assert answer.faults == {"the prompt itself": 2}
    assert "TASK-" not in str(answer.to_json())


def test_rounds_are_capped(mill_path: Path) -> None:
    searches = iter(range(100))

    class Endless(Model):
        def __call__(self, prompt: str, number: int) -> Answer:
            if not judges(prompt):
                return super().__call__(prompt, number)
            self.judged.append(prompt)
            return verdict(*((f"feed pump {next(searches)}", "hybrid") for _ in range(5)))

    for most in (1, 2, 3):
        model = Endless()
        answer = model.ask(mill_path, steps=most)
        assert len(model.judged) == most - 1
        assert len(answer.steps) == 1 + 3 * (most - 1)
        assert [step.round for step in answer.steps][-1] == most
        assert (answer.steps[-1].enough, answer.steps[-1].why) == (None, "this was the last round")
        assert answer.grounded
        assert not answer.result.degraded


def test_tokens_for_judging_are_capped(mill_path: Path) -> None:
    model = Model(verdict((GREASE, "hybrid")), verdict((SIEVE, "hybrid")))
    none = model.ask(mill_path, agent_tokens=300)
    assert not model.judged
    assert (none.grounded, none.steps[0].why) == (True, "there were no tokens left for another verdict")
    (spent,) = (step.tokens for step in Model(verdict(enough=True)).ask(mill_path).steps)
    one = model.ask(mill_path, agent_tokens=2 * spent + 400)
    assert len(model.judged) == 1
    assert (len(one.steps), one.steps[1].why) == (2, none.steps[0].why)
    assert sum(step.tokens for step in one.steps) <= 2 * spent + 400


def test_a_search_that_was_made_is_not_made_again(desk: Desk) -> None:
    again = f"  {QUESTION.upper().replace('?', ' !')}"
    model = Model(verdict((again, "hybrid"), (GREASE, "hybrid"), (GREASE.lower(), "hybrid")))
    answer = desk.ask(model)
    assert [step.question for step in answer.steps] == [QUESTION, GREASE]
    assert answer.steps[1].why == "no search was named that was not made before"
    assert answer.steps[1].enough is False


def test_a_model_that_dies_in_the_second_round_leaves_what_is_there(mill_path: Path) -> None:
    down = Answer("down", status=401)
    model = Model(verdict((GREASE, "hybrid")), down, words="GX-5", said="The outer ring gets GX-5.")
    answer = model.ask(mill_path, k=1)
    assert (answer.grounded, answer.model, answer.result.degraded) == (True, "m", ("agent",))
    assert answer.steps[1].why == "the model failed"
    dead = FakeOpenAIServer(lambda prompt, number: verdict((GREASE, "hybrid")) if number == 0 else down)
    with dead as server, open_mill(mill_path, server.base_url) as mill:
        answer = mill.ask(QUESTION, agentic=True, k=1)
    assert answer.sentences[0].text == "The relief valve RV-7 of the feed pump opens at 8 bar."
    assert (answer.model, answer.result.degraded, len(answer.steps)) == ("", ("agent", "llm"), 2)


def test_judging_leaves_time_to_write(mill_path: Path) -> None:
    class Slow(Model):
        def __call__(self, prompt: str, number: int) -> Answer:
            return Answer("{}", delay=8.0) if judges(prompt) else super().__call__(prompt, number)

    begun = time.monotonic()
    answer = Slow().ask(mill_path, deadline=1.6)
    assert time.monotonic() - begun < 8.0
    assert (answer.text, answer.result.degraded) == ("RV-7 opens at 8 bar. [1]", ("agent",))
    assert answer.steps[0].why == "the time was up"


def test_a_deadline_bounds_the_search_of_any_answer(mill_path: Path) -> None:
    with open_mill(mill_path) as mill:
        with pytest.raises(treegraph.WorkError, match="before anything was found"):
            mill.ask(QUESTION, deadline=1e-9)  # late is not that the documents do not say
        assert mill.ask(QUESTION, deadline=30.0).found


def test_a_planted_instruction_changes_neither_reader_nor_filters(desk: Desk) -> None:
    """The model does what a document tells it to: name another reader, other sources, another route."""
    wages = "How many crowns does the miller earn in a year?"
    planted = {"labels": ["office"], "sources": ["*"], "filters": [], "as_of": "1990-01-01", "k": 50}
    model = Model(verdict((wages, "hybrid"), (SIEVE, "hybrid"), **planted), verdict((wages, "tree")))
    answer = desk.ask(model, labels=[], sources=["*pump*"], k=3)
    assert [step.question for step in answer.steps] == [QUESTION, wages, SIEVE]
    assert {citation.source for hit in answer.result.hits for citation in hit.citations} == {"mill/pump.md"}
    assert answer.faults == {"a verdict out of form": 2}
    for prompt in (*model.judged, *model.wrote, str(answer.to_json())):
        assert "4711 crowns" not in prompt
        assert "Mühle wird alle" not in prompt
    assert desk.ask(Model(verdict((wages, "hybrid")), words="4711", said="4711 crowns.")).grounded


def test_a_route_that_was_asked_for_is_the_only_one(desk: Desk) -> None:
    model = Model(verdict(enough=True))
    desk.ask(model, route="hybrid")
    assert "  - hybrid: " in model.judged[0]
    assert "  - tree: " not in model.judged[0]


def test_without_a_model_it_is_an_error_that_says_what_to_do(mill_path: Path) -> None:
    with open_mill(mill_path) as mill, pytest.raises(treegraph.ConfigurationError, match="--llm MODEL@URL"):
        mill.ask(QUESTION, agentic=True)


def test_a_single_answer_has_no_steps(mill_path: Path) -> None:
    script: Callable[[str, int], Answer] = Model()
    with FakeOpenAIServer(script) as server, open_mill(mill_path, server.base_url) as mill:
        answer = mill.ask(QUESTION)
    assert (answer.steps, answer.calls) == ((), 1)

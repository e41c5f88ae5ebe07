"""Language models through LlamaIndex and real HTTP, on loopback."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from fake_openai import Answer, FakeOpenAIServer, Script, count_tokens
from treegraph.indexer.errors import ConfigurationError, ModelCallError
from treegraph.indexer.models import as_llm, load_llm
from treegraph.indexer.models.breaker import Breaker
from treegraph.indexer.models.pace import Pace
from treegraph.indexer.models.ports import LanguageModel, StreamingModel
from treegraph.indexer.models.settings import LLMSettings

if TYPE_CHECKING:
    from small_llm import SmallLLM

SECRET = "sk-verysecret-1234567890"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREEGRAPH_LLM_API_KEY", SECRET)


def connect(server: FakeOpenAIServer, **settings: float) -> LanguageModel:
    llm = load_llm(LLMSettings(base_url=server.base_url, model="fake-1", **settings))  # type: ignore[arg-type]
    assert llm is not None
    return llm


def failing(times: int, answer: Answer) -> Script:
    return lambda prompt, number: answer if number < times else Answer("at last")


def test_a_completion_brings_its_text_and_the_servers_own_counts() -> None:
    with FakeOpenAIServer(lambda prompt, number: Answer("An answer of words.")) as server:
        llm = connect(server, price_in=1.0, price_out=2.0, window=9000)
        done = llm.complete("What is this?", 50)
    assert done.text == "An answer of words."
    assert done.tokens_in == count_tokens("What is this?")
    assert done.tokens_out == count_tokens("An answer of words.")
    assert done.cached_in == done.tokens_in // 2
    assert not done.estimated
    assert server.keys == [f"Bearer {SECRET}"]
    assert (llm.name, llm.window, llm.price_out) == ("fake-1", 9000, 2.0)


def test_a_server_without_counts_gets_estimates_that_say_so() -> None:
    with FakeOpenAIServer(lambda prompt, number: Answer("four short plain words", usage=False)) as server:
        done = connect(server).complete("one two three", 50)
    assert done.estimated
    assert (done.tokens_in, done.tokens_out) == (3, 4)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_failures_that_pass_are_tried_again(status: int) -> None:
    broken = Answer("busy", status=status, headers={"Retry-After": "0"})
    with FakeOpenAIServer(failing(2, broken)) as server:
        assert connect(server).complete("hello", 5).text == "at last"
    assert len(server.prompts) == 3


def test_retry_after_is_kept_to() -> None:
    with FakeOpenAIServer(failing(1, Answer(status=429, headers={"Retry-After": "0.4"}))) as server:
        connect(server).complete("hello", 5)
    assert server.times[1] - server.times[0] >= 0.39


def test_tries_are_bounded() -> None:
    broken = Answer("down", status=503, headers={"Retry-After": "0"})
    with (
        FakeOpenAIServer(lambda prompt, number: broken) as server,
        pytest.raises(ModelCallError, match="503"),
    ):
        connect(server).complete("hello", 5)
    assert len(server.prompts) == 5


@pytest.mark.parametrize("status", [400, 401, 404])
def test_failures_that_stay_are_not_tried_again_and_tell_no_secret(status: int) -> None:
    told = Answer(f"Incorrect API key provided: {SECRET}. Also Bearer abc.def", status=status)
    with FakeOpenAIServer(lambda prompt, number: told) as server, pytest.raises(ModelCallError) as caught:
        connect(server).complete("hello", 5)
    assert len(server.prompts) == 1
    assert str(status) in str(caught.value)
    assert SECRET not in str(caught.value)
    assert "abc.def" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_an_answer_comes_in_pieces_with_the_provider_s_counts() -> None:
    pieces: list[str] = []
    with FakeOpenAIServer(lambda prompt, number: Answer("one two three four", pieces=4)) as server:
        done = connect(server).stream("hello", 5, pieces.append)
    assert len(pieces) == 4
    assert "".join(pieces) == done.text == "one two three four"
    assert (done.tokens_out, done.estimated) == (4, False)


@pytest.mark.parametrize("bad", ["\ud83d", "\0", "\x1b[2J"])
def test_what_no_store_or_terminal_takes_is_replaced(bad: str) -> None:
    with FakeOpenAIServer(lambda prompt, number: Answer(f"One {bad}\n\ttwo \U0001f600")) as server:
        llm, pieces = connect(server), list[str]()
        done = llm.complete("What is this?", 50)
        assert isinstance(llm, StreamingModel)
        streamed = llm.stream("What is this?", 50, pieces.append)
    assert done.text == streamed.text == "".join(pieces) == f"One \ufffd{bad[1:]}\n\ttwo \U0001f600"


def test_a_stream_is_tried_again_until_its_first_piece() -> None:
    pieces: list[str] = []
    busy = Answer("busy", status=503, headers={"Retry-After": "0"})
    with FakeOpenAIServer(failing(1, busy)) as server:
        assert connect(server).stream("hello", 5, pieces.append).text == "at last"
    assert "".join(pieces) == "at last"


@pytest.mark.parametrize("cut", [1, 3])
def test_a_stream_that_ends_without_its_end_is_no_answer(cut: int) -> None:
    pieces: list[str] = []
    server = FakeOpenAIServer(lambda prompt, number: Answer("one two three", pieces=4, cut=cut))
    with server, pytest.raises(ModelCallError, match="broke off"):
        connect(server).stream("hello", 5, pieces.append)
    assert len(pieces) == cut


def test_a_slow_server_is_a_timeout_that_is_tried_again() -> None:
    with FakeOpenAIServer(failing(1, Answer("late", delay=1.0))) as server:
        assert connect(server, timeout=0.3).complete("hello", 5).text == "at last"
    assert len(server.prompts) == 2


def test_a_body_that_is_no_json_is_an_error() -> None:
    gateway = Answer(raw=b"<html>gateway</html>")
    with FakeOpenAIServer(lambda prompt, number: gateway) as server, pytest.raises(ModelCallError):
        connect(server).complete("hello", 5)


def test_a_server_that_is_not_there_is_an_error(pauses: list[float]) -> None:
    llm = load_llm(LLMSettings(base_url="http://127.0.0.1:9/v1", model="m"))
    assert llm is not None
    with pytest.raises(ModelCallError):
        llm.complete("hello", 5)
    assert len(pauses) == 4
    assert sum(pauses) < 30


def test_a_breaker_refuses_while_a_server_stays_down() -> None:
    breaker = Breaker(failures=2, patience=0.05, pause=0.1)
    for _ in range(3):
        breaker.failed(ModelCallError("down"))
    breaker.check()  # not for long enough yet
    time.sleep(0.06)
    breaker.failed(ModelCallError("still down"))
    with pytest.raises(ModelCallError, match="still down"):
        breaker.check()
    time.sleep(0.11)
    breaker.check()  # one more try
    breaker.succeeded()
    breaker.failed(ModelCallError("again"))
    breaker.check()


def test_no_more_calls_at_once_than_allowed() -> None:
    with FakeOpenAIServer(lambda prompt, number: Answer(delay=0.1)) as server:
        llm = connect(server, concurrency=2)
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda _: llm.complete("hello", 5), range(6)))
    assert server.most_at_once == 2


def test_a_pace_spends_a_burst_and_then_waits() -> None:
    pace = Pace(requests_per_minute=120)
    start = time.monotonic()
    for _ in range(120):
        pace.wait(1)
    assert time.monotonic() - start < 1.0
    pace.wait(1)
    assert time.monotonic() - start >= 0.4


def test_a_pace_of_tokens_weighs_a_call_by_its_tokens() -> None:
    pace = Pace(tokens_per_minute=6000)
    pace.wait(1_000_000)  # more than the whole bucket: taken for all of it
    start = time.monotonic()
    pace.wait(50)
    assert 0.35 <= time.monotonic() - start < 2.0


def test_llamaindex_objects_are_adapted_and_ours_are_passed_through() -> None:
    from llama_index.core.llms import MockLLM

    llm = as_llm(MockLLM(max_tokens=4), LLMSettings(concurrency=3))
    assert llm.complete("a b c d e f g h", 4).text == "text text text text"
    assert llm.concurrency == 3
    assert as_llm(llm) is llm
    with pytest.raises(ConfigurationError):
        as_llm("gpt")


def test_no_model_is_configured_by_default() -> None:
    assert load_llm(LLMSettings()) is None


@pytest.mark.llm
def test_a_real_model_answers(small_llm: SmallLLM) -> None:
    llm = load_llm(LLMSettings(base_url=small_llm.base_url, model=small_llm.model, window=small_llm.window))
    assert llm is not None
    done = llm.complete("Say hello.", 12)
    assert done.text
    assert 0 < done.tokens_out <= 12
    assert done.tokens_in > 3
    assert not done.estimated

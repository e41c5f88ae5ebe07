"""The caps on paid calls: they hold whatever runs side by side, and nothing waits for long."""

from __future__ import annotations

import contextlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from fake_openai import Answer, FakeOpenAIServer
from hypothesis import given, settings
from hypothesis import strategies as st
from treegraph.indexer.errors import BudgetSpent, ConfigurationError, ModelCallError
from treegraph.indexer.models import load_llm, retries
from treegraph.indexer.models.ports import Completion
from treegraph.indexer.models.settings import LLMSettings
from treegraph.indexer.tree.settings import TreeSettings
from treegraph.pipelines.config import Config
from treegraph.pipelines.paid_models import PaidModel
from treegraph.pipelines.payments import Payments
from treegraph.pipelines.spending import Caps, Spending


class Priced:
    """A model that counts ``tokens`` in for whatever it is asked."""

    name, window, concurrency = "priced", 9000, 4

    def __init__(self, price_in: float = 0.0, price_out: float = 0.0, tokens: int = 10) -> None:
        self.price_in, self.price_out = price_in, price_out
        self.tokens = tokens
        self.asked = 0

    def complete(self, prompt: str, max_tokens: int) -> Completion:
        self.asked += 1
        time.sleep(0.005)
        return Completion("yes", self.tokens, 5)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 4), max_size=15), st.integers(0, 30))
def test_calls_of_several_requests_are_made_whole_or_not_at_all(sizes: list[int], cap: int) -> None:
    spending = Spending(Caps(calls=cap))

    def pay(requests: int) -> int:
        try:
            with spending.paying(0.0, requests) as call:
                for _ in range(requests):
                    call.begin()
                call.settle(0.0, calls=requests)
        except BudgetSpent:
            return 0
        return requests

    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(pay, sizes))
    assert spending.sent == sum(made) <= cap
    assert spending.refused == made.count(0)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 2), st.floats(0, 1)), max_size=25),
    st.floats(0, 8),
)
def test_what_is_spent_stays_under_the_cap_from_any_number_of_threads(
    calls: list[tuple[float, float]], cap: float
) -> None:
    spending = Spending(Caps(cost=cap))

    def pay(asked: tuple[float, float]) -> float:
        most, share = asked
        try:
            with spending.paying(most) as call:
                call.settle(most * share)
        except BudgetSpent:
            return 0.0
        return most * share

    with ThreadPoolExecutor(6) as pool:
        paid = sum(pool.map(pay, calls))
    assert paid == pytest.approx(spending.spent)
    assert spending.spent <= cap + 1e-9
    if cap >= sum(most for most, _ in calls) and cap > 0:
        assert spending.refused == 0


def test_a_call_waits_for_those_under_way_where_they_alone_stand_in_between() -> None:
    spending, begun, go = Spending(Caps(cost=1.0)), threading.Event(), threading.Event()

    def first() -> None:
        with spending.paying(0.8) as call:
            begun.set()
            go.wait(5)
            call.settle(0.1)

    thread = threading.Thread(target=first)
    thread.start()
    begun.wait(5)
    threading.Timer(0.1, go.set).start()
    began = time.monotonic()
    with spending.paying(0.7) as call:
        call.settle(0.7)
    thread.join()
    assert time.monotonic() - began >= 0.09
    assert spending.spent == pytest.approx(0.8)
    with pytest.raises(BudgetSpent, match="max-cost"):
        spending.paying(0.3).__enter__()


def test_a_call_that_was_not_made_costs_nothing_and_gives_its_money_back() -> None:
    spending = Spending(Caps(cost=1.0))
    with pytest.raises(RuntimeError), spending.paying(0.9):
        raise RuntimeError("the call failed")
    with spending.paying(1.0) as call:
        call.settle(0.2)
    assert spending.spent == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("wrong", "spent"),
    [
        (Answer(delay=2.0), 2),  # as often as the cap allows, though five tries are made of a call
        (Answer(status=504), 2),
        (Answer("[]", raw=b"no JSON"), 1),
        (Answer("your request is wrong", status=400), 0),
        (Answer(status=503, headers={"Retry-After": "0"}), 0),
    ],
    ids=["times out", "gateway", "broken", "refused", "overloaded"],
)
def test_attempts_that_a_provider_may_charge_for_count_as_their_estimates(wrong: Answer, spent: int) -> None:
    spending = Spending(Caps(cost=2.5))
    with FakeOpenAIServer(lambda prompt, number: wrong) as server:
        llm = load_llm(LLMSettings(base_url=server.base_url, model="m", price_out=10_000.0, timeout=0.2))
        assert llm is not None
        with pytest.raises(ModelCallError):
            PaidModel(llm, spending).complete("Is it?", 100)  # which can cost 1
    assert spending.spent == pytest.approx(spent)
    assert spent in (0, len(server.prompts))


def test_a_server_that_is_not_there_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "ATTEMPTS", 1)
    spending = Spending(Caps(cost=2.5))
    llm = load_llm(LLMSettings(base_url="http://127.0.0.1:9/v1", model="m", price_out=10_000.0))
    assert llm is not None
    with pytest.raises(ModelCallError):
        PaidModel(llm, spending).complete("Is it?", 100)
    assert spending.spent == 0


def test_any_language_model_can_be_paid_from_it() -> None:
    spending, model = Spending(Caps(cost=0.001)), Priced(10.0, 20.0)
    paid = PaidModel(model, spending)
    assert paid.complete("Is it?", 20).text == "yes"
    assert spending.spent == pytest.approx((10 * 10 + 5 * 20) / 1e6)
    with pytest.raises(BudgetSpent):
        paid.complete("Is it?", 100)  # which could cost .002
    assert (model.asked, spending.refused) == (1, 1)


def test_a_cap_below_the_price_of_one_call_is_said_to_be(caplog: pytest.LogCaptureFixture) -> None:
    low = PaidModel(Priced(10.0, 20.0), Spending(Caps(cost=0.0005)))
    for _ in range(2):
        with pytest.raises(BudgetSpent, match="more than the whole of --max-cost"):
            low.complete("Is it?", 100)
    assert caplog.text.count("no paid call is made any more") == 1
    nothing = PaidModel(Priced(10.0, 20.0), Spending(Caps(cost=0.0)))  # which is a wish, not a mistake
    with pytest.raises(BudgetSpent, match="is spent"):
        nothing.complete("Is it?", 100)


def test_a_provider_that_counts_higher_than_any_estimate_is_learnt_from() -> None:
    spending, model = (
        Spending(Caps(cost=1.0)),
        Priced(1000.0, 0.0, tokens=150),
    )  # .15 a call, where .004 is expected
    paid = PaidModel(model, spending)

    def ask(_: int) -> bool:
        try:
            paid.complete("Is it?", 20)
        except BudgetSpent:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        made = sum(pool.map(ask, range(20)))
    assert made == model.asked == 6
    assert spending.spent == pytest.approx(0.9)


def test_a_cap_that_would_hold_nothing_back_is_refused() -> None:
    settings = Config(tree=TreeSettings(summary="model"))
    payments = Payments(settings, Spending(Caps(cost=1.0)))
    with pytest.raises(ConfigurationError, match=r"\[llm\] price_in"):
        payments.check_prices(Priced(), None)
    payments.check_prices(Priced(1.0), None)
    Payments(Config(), Spending(Caps(cost=1.0))).check_prices(Priced(), None)  # which nothing asks
    with pytest.raises(ConfigurationError, match="max-cost"):
        Caps(cost=float("nan"))
    with pytest.raises(ConfigurationError, match="max-calls"):
        Caps(calls=-1)
    with pytest.raises(ConfigurationError, match="max-seconds"):
        Caps(seconds=-0.5)


@pytest.mark.parametrize("threads", [1, 8])
def test_no_more_requests_are_sent_than_the_cap_allows_tries_included(threads: int) -> None:
    def script(prompt: str, number: int) -> Answer:
        return Answer("later", 503, {"Retry-After": "0"}) if number % 2 else Answer("yes")

    spending = Spending(Caps(calls=7))
    with FakeOpenAIServer(script) as server:
        llm = load_llm(LLMSettings(base_url=server.base_url, model="m", concurrency=threads))
        assert llm is not None
        paid = PaidModel(llm, spending)

        def ask(number: int) -> bool:
            try:
                return paid.complete(f"Is it {number}?", 20).text == "yes"
            except BudgetSpent:
                return False

        with ThreadPoolExecutor(threads) as pool:
            answered = sum(pool.map(ask, range(20)))
        assert len(server.prompts) == spending.sent == 7
    assert 3 <= answered < 7
    assert not spending.open


def test_a_thousand_refusals_take_no_time_and_ask_nobody() -> None:
    spending, model = Spending(Caps(calls=0)), Priced()
    paid = PaidModel(model, spending)
    began = time.monotonic()
    for _ in range(1000):
        with pytest.raises(BudgetSpent, match="max-calls"):
            paid.complete("Is it?", 20)
    assert time.monotonic() - began < 1
    assert (model.asked, spending.refused, spending.spent) == (0, 1000, 0.0)


def test_after_the_first_refusal_nothing_smaller_is_paid_for() -> None:
    """It might rest on what the refused call would have said."""
    spending, model = Spending(Caps(cost=0.001)), Priced(10.0, 20.0)
    paid = PaidModel(model, spending)
    with pytest.raises(BudgetSpent):
        paid.complete("Is it?", 1000)
    with pytest.raises(BudgetSpent):
        paid.complete("Is it?", 1)
    assert model.asked == 0


def test_once_the_time_is_over_no_call_begins_whatever_the_wall_clock_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    spending, model = Spending(Caps(seconds=10), clock=lambda: now), Priced()
    paid = PaidModel(model, spending)
    monkeypatch.setattr(time, "time", lambda: 4e9)  # a clock that jumps is not looked at
    assert paid.complete("Is it?", 20).text == "yes"
    with spending.paying(0.0) as call:
        now = 11.0  # what is under way is finished
        call.settle(0.0)
    with pytest.raises(BudgetSpent, match="max-seconds 10 are over"):
        paid.complete("Is it?", 20)
    assert model.asked == 1


def test_a_call_that_waits_for_its_turn_until_the_time_is_over_is_not_sent() -> None:
    with FakeOpenAIServer(lambda prompt, number: Answer("yes", delay=0.3)) as server:
        llm = load_llm(LLMSettings(base_url=server.base_url, model="m", concurrency=1))
        assert llm is not None
        llm.complete("Are you there?", 20)
        spending = Spending(Caps(seconds=0.4))
        paid = PaidModel(llm, spending)

        def ask(number: int) -> bool:
            try:
                return bool(paid.complete(f"Is it {number}?", 20).text)
            except BudgetSpent:
                return False

        with ThreadPoolExecutor(5) as pool:
            answered = sum(pool.map(ask, range(5)))
        assert 1 <= answered <= 2
        assert len(server.prompts) == 1 + answered
    assert not spending.open


def test_without_counts_of_the_provider_estimates_hold_it_back() -> None:
    spending = Spending(Caps(cost=0.05))
    with FakeOpenAIServer(lambda prompt, number: Answer("yes " * 20, usage=False)) as server:
        llm = load_llm(LLMSettings(base_url=server.base_url, model="m", price_in=100.0, price_out=100.0))
        assert llm is not None
        paid = PaidModel(llm, spending)
        done = paid.complete("Is it? " * 20, 60)
        assert done.estimated
        made = 1
        while spending.open and not spending.refused:
            with contextlib.suppress(BudgetSpent):
                paid.complete("Is it? " * 20, 60)
                made += 1
    assert made == len(server.prompts)
    assert spending.spent == pytest.approx(made * (done.tokens_in + done.tokens_out) * 100 / 1e6)
    assert 0.025 < spending.spent <= 0.05

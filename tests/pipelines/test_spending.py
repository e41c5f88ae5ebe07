"""The cap on paid calls: it holds whatever runs side by side, and nothing waits for long."""

from __future__ import annotations

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
from treegraph.pipelines.spending import PaidModel, Spending, check_prices


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


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 2), st.floats(0, 1)), max_size=25),
    st.floats(0, 8),
)
def test_what_is_spent_stays_under_the_cap_from_any_number_of_threads(
    calls: list[tuple[float, float]], cap: float
) -> None:
    spending = Spending(cap)

    def pay(call: tuple[float, float]) -> float:
        most, share = call
        try:
            with spending.paying(most) as settle:
                settle(most * share)
        except BudgetSpent:
            return 0.0
        return most * share

    with ThreadPoolExecutor(6) as pool:
        paid = sum(pool.map(pay, calls))
    assert paid == pytest.approx(spending.spent)
    assert spending.spent <= cap + 1e-9
    refused = spending.refused
    if cap >= sum(most for most, _ in calls):
        assert refused == 0


def test_a_call_waits_for_those_under_way_where_they_alone_stand_in_between() -> None:
    spending, begun, go = Spending(1.0), threading.Event(), threading.Event()

    def first() -> None:
        with spending.paying(0.8) as settle:
            begun.set()
            go.wait(5)
            settle(0.1)

    thread = threading.Thread(target=first)
    thread.start()
    begun.wait(5)
    threading.Timer(0.1, go.set).start()
    began = time.monotonic()
    with spending.paying(0.7) as settle:
        settle(0.7)
    thread.join()
    assert time.monotonic() - began >= 0.09
    assert spending.spent == pytest.approx(0.8)
    with pytest.raises(BudgetSpent, match="max-cost"):
        spending.paying(0.3).__enter__()


def test_a_call_that_was_not_made_costs_nothing_and_gives_its_money_back() -> None:
    spending = Spending(1.0)
    with pytest.raises(RuntimeError), spending.paying(0.9):
        raise RuntimeError("the call failed")
    with spending.paying(1.0) as settle:
        settle(0.2)
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
    spending = Spending(2.5)
    with FakeOpenAIServer(lambda prompt, number: wrong) as server:
        llm = load_llm(LLMSettings(base_url=server.base_url, model="m", price_out=10_000.0, timeout=0.2))
        assert llm is not None
        with pytest.raises(ModelCallError):
            PaidModel(llm, spending).complete("Is it?", 100)  # which can cost 1
    assert spending.spent == pytest.approx(spent)
    assert spent in (0, len(server.prompts))


def test_a_server_that_is_not_there_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "ATTEMPTS", 1)
    spending = Spending(2.5)
    llm = load_llm(LLMSettings(base_url="http://127.0.0.1:9/v1", model="m", price_out=10_000.0))
    assert llm is not None
    with pytest.raises(ModelCallError):
        PaidModel(llm, spending).complete("Is it?", 100)
    assert spending.spent == 0


def test_any_language_model_can_be_paid_from_it() -> None:
    spending, model = Spending(0.001), Priced(10.0, 20.0)
    paid = PaidModel(model, spending)
    assert paid.complete("Is it?", 20).text == "yes"
    assert spending.spent == pytest.approx((10 * 10 + 5 * 20) / 1e6)
    with pytest.raises(BudgetSpent):
        paid.complete("Is it?", 100)  # which could cost .002
    assert (model.asked, spending.refused) == (1, 1)


def test_a_cap_below_the_price_of_one_call_is_said_to_be() -> None:
    low = PaidModel(Priced(10.0, 20.0), Spending(0.0005))
    with pytest.raises(BudgetSpent, match="below the price of a single call") as refused:
        low.complete("Is it?", 100)
    assert refused.value.reason == "--max-cost is below the price of one call"
    nothing = PaidModel(Priced(10.0, 20.0), Spending(0.0))  # which is a wish, not a mistake
    with pytest.raises(BudgetSpent) as refused:
        nothing.complete("Is it?", 100)
    assert refused.value.reason == "budget spent"


def test_a_provider_that_counts_higher_than_any_estimate_is_learnt_from() -> None:
    spending, model = Spending(1.0), Priced(1000.0, 0.0, tokens=150)  # .15 a call, where .004 is expected
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
    with pytest.raises(ConfigurationError, match="price_in"):
        check_prices(Priced(), 1.0)
    check_prices(Priced(), None)
    check_prices(Priced(1.0), 1.0)
    with pytest.raises(ConfigurationError, match="max-cost"):
        Spending(-1)
    with pytest.raises(ConfigurationError, match="max-cost"):
        Spending(float("nan"))

"""Counting tokens, and what is said of a failure."""

from __future__ import annotations

import datetime
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.models.retries import describe, is_transient, retry_after
from treegraph.indexer.models.usage import Usage, estimate_tokens, read_usage


@pytest.mark.parametrize(
    ("raw", "usage"),
    [
        ({"usage": {"prompt_tokens": 7, "completion_tokens": 3}}, Usage(7, 3)),
        (
            SimpleNamespace(
                usage=SimpleNamespace(
                    prompt_tokens=7,
                    completion_tokens=3,
                    prompt_tokens_details=SimpleNamespace(cached_tokens=4),
                )
            ),
            Usage(7, 3, 4),
        ),
        (
            {
                "usage": {
                    "input_tokens": 5,
                    "output_tokens": 2,
                    "cache_read_input_tokens": 90,
                    "cache_creation_input_tokens": 1,
                }
            },
            Usage(96, 2, 90),
        ),
        ({"usage_metadata": {"prompt_token_count": 5, "candidates_token_count": 2}}, Usage(5, 2)),
        ({"prompt_eval_count": 9, "eval_count": 1}, Usage(9, 1)),
        ({"usage": None}, None),
        ({"usage": {"prompt_tokens": 0, "completion_tokens": 0}}, None),
        ({"usage": {"input_tokens": 0, "output_tokens": 2, "cache_read_input_tokens": 9}}, Usage(9, 2, 9)),
        *(
            ({"usage": {"prompt_tokens": wrong, "completion_tokens": 1}}, None)
            for wrong in (-7, float("inf"), float("nan"), 10**30)
        ),
        (None, None),
        ("text", None),
    ],
)
def test_the_counts_of_known_providers_are_read(raw: object, usage: Usage | None) -> None:
    assert read_usage(raw, {}) == usage


def test_the_estimate_follows_the_script() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("valve") == 1
    assert estimate_tokens("configuration") == 3
    assert estimate_tokens("CR4.OSFXSR = 0x1F") == 9
    assert estimate_tokens("泵的压力设置") == 6
    assert estimate_tokens("設定をリセット") == 7


@given(st.text(), st.text())
def test_an_estimate_of_two_texts_is_that_of_both(a: str, b: str) -> None:
    assert estimate_tokens(f"{a}\n{b}") == estimate_tokens(a) + estimate_tokens(b)


class StatusError(Exception):
    def __init__(self, status: int, retry: str | None = None) -> None:
        super().__init__(f"https://user:pass@host/?key=abcdef got Bearer tok.en and hf_abcdefgh {status}")
        self.status_code = status
        self.response = SimpleNamespace(headers={"retry-after": retry} if retry else {})


def test_what_passes_by_itself() -> None:
    assert is_transient(TimeoutError())
    assert is_transient(ConnectionResetError())
    assert is_transient(StatusError(429))
    assert is_transient(StatusError(502))
    assert not is_transient(StatusError(400))
    assert not is_transient(ValueError("timeout"))
    wrapped = RuntimeError("wrapped")
    wrapped.__cause__ = ConnectionRefusedError()
    assert is_transient(wrapped)


def test_retry_after_in_seconds_and_as_a_date() -> None:
    assert retry_after(StatusError(429, "3")) == 3.0
    soon = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=30)
    found = retry_after(StatusError(429, soon.strftime("%a, %d %b %Y %H:%M:%S GMT")))
    assert found is not None
    assert 25 < found < 31
    assert retry_after(StatusError(429, "soon")) is None
    assert retry_after(StatusError(429)) is None


def test_a_failure_is_told_without_secrets() -> None:
    told = describe(StatusError(401), secret="host")
    assert "status 401" in told
    for secret in ("pass@", "abcdef", "tok.en", "hf_", "host"):
        assert secret not in told


def test_a_count_without_its_other_half_is_none() -> None:
    assert read_usage({"usage": {"prompt_tokens": 12}}) is None
    assert read_usage({"usage": {"prompt_tokens": 12, "completion_tokens": 0}}) == Usage(12, 0)

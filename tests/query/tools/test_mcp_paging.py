"""Pages of a result: within the budget, and together the whole."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_shelf import COUNT, joined
from treegraph.indexer.errors import ConfigurationError
from treegraph.query.tools.paging import Found, Pager, dump
from treegraph.query.tools.settings import ServeSettings

WORDS = st.text(alphabet="ab .\n😀é", max_size=1500)


@settings(max_examples=80, deadline=None)
@given(texts=st.lists(WORDS, max_size=8), tokens=st.integers(150, 600))
def test_pages_put_together_are_the_whole(texts: list[str], tokens: int) -> None:
    found = Found({"head": "h"}, "items", [lambda t=t, n=n: {"n": n, "text": t} for n, t in enumerate(texts)])
    pager = Pager(COUNT, tokens)
    shown: list[dict[str, Any]] = []
    place: tuple[int, int] | None = (0, 0)
    while place is not None:
        page = pager.page(found, *place)
        shown.append(page.document)
        assert COUNT(dump(page.document)) <= tokens
        assert page.rest is None or page.rest > place
        place = page.rest
    assert joined(shown, "items") == [{"n": n, "text": text} for n, text in enumerate(texts)]


def test_the_settings_refuse_a_budget_that_is_too_small() -> None:
    with pytest.raises(ConfigurationError, match=r"serve\.tokens must be at least 800"):
        ServeSettings(tokens=100)

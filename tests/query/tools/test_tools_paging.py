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


def walked(found: Found, tokens: int) -> list[dict[str, Any]]:
    """All pages, each held against the budget."""
    pager = Pager(tokens)
    shown: list[dict[str, Any]] = []
    place: tuple[int, int] | None = (0, 0)
    while place is not None:
        page = pager.page(found, *place)
        shown.append(page.document)
        assert COUNT(dump(page.document)) <= tokens
        assert page.rest is None or page.rest > place
        place = page.rest
    return shown


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(WORDS, max_size=8), tokens=st.integers(150, 600))
def test_pages_put_together_are_the_whole(texts: list[str], tokens: int) -> None:
    found = Found({"head": "h"}, "items", [lambda t=t, n=n: {"n": n, "text": t} for n, t in enumerate(texts)])
    assert joined(walked(found, tokens), "items") == [{"n": n, "text": text} for n, text in enumerate(texts)]


@settings(max_examples=60, deadline=None)
@given(
    titles=st.lists(st.text("字 a", max_size=3000), min_size=1, max_size=4),
    texts=st.lists(st.none() | WORDS, min_size=1, max_size=5),
)
def test_long_titles_leave_room_for_the_text_and_ids_stay_whole(
    titles: list[str], texts: list[str | None]
) -> None:
    about = {"title": titles[0], "rests": [{"chunk": "c" * 36, "section": title} for title in titles]}
    items = [
        {"id": f"{n:036}", **about, **({} if text is None else {"text": text})}
        for n, text in enumerate(texts)
    ]
    found = Found({"note": "n"}, "items", [lambda item=item: item for item in items], first=about)
    shown = walked(found, 800)
    assert shown[0]["rests"][0]["chunk"] == "c" * 36
    together = joined(shown, "items")
    assert [item["id"] for item in together] == [item["id"] for item in items]
    assert [item.get("text") for item in together] == texts


def test_the_settings_refuse_a_budget_that_is_too_small() -> None:
    with pytest.raises(ConfigurationError, match=r"serve\.tokens must be at least 800"):
        ServeSettings(tokens=100)

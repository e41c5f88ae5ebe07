"""What holds of an extraction whatever a model answers."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from treegraph.indexer.graph.extraction import Extraction, Passage
from treegraph.indexer.graph.patterns import PatternExtractor
from treegraph.indexer.graph.written import ModelExtractor
from treegraph.indexer.models.call_cache import MemoryCallCache
from treegraph.indexer.models.ports import Completion
from treegraph.indexer.names_form import form

TEXT = (
    "The CPU sets CR4.OSFXSR only if SSE is enabled.\n\nDer **Großrechner** braucht `--max-size` und Öl.\n"
    "控制器在温度过高时停止电机。 HTTP 403 means Forbidden; see Table 5.\n| Name | Value |\n| EM | 1 |\n"
)
PASSAGE = Passage("c", "d", TEXT, "CPU Guide", ("1 SSE",), "en", "a.md")
STRETCHES = st.tuples(st.integers(0, len(TEXT)), st.integers(0, 60)).map(
    lambda at: TEXT[at[0] : at[0] + at[1]]
)
VALUES = st.one_of(STRETCHES, STRETCHES.map(str.upper), st.text(max_size=20), st.none(), st.integers())
ITEMS = st.one_of(
    st.fixed_dictionaries({"name": VALUES}, optional={"type": VALUES, "description": VALUES}),
    st.fixed_dictionaries(
        {"source": VALUES, "target": VALUES, "type": VALUES, "evidence": VALUES},
        optional={"condition": VALUES, "description": VALUES},
    ),
    VALUES,
)
LISTS = st.lists(ITEMS, max_size=8)
WORDS = (
    "CPU",
    "CR4.OSFXSR",
    "SSE",
    "großrechner",
    "--max-size",
    "控制器",
    "电机",
    "HTTP 403",
    "forbidden",
    "EM",
)
KNOWN = [{"name": name, "type": "thing", "description": f"{name} in it"} for name in WORDS]
RELATIONS = st.lists(
    st.fixed_dictionaries(
        {
            "source": st.sampled_from(WORDS),
            "target": st.sampled_from(WORDS),
            "type": st.sampled_from(["sets", "needs"]),
            "evidence": STRETCHES,
            "condition": STRETCHES,
        }
    ),
    max_size=6,
)


class Answering:
    """A language model in this process that always answers the same."""

    name = "constant"
    window = 8192
    price_in = price_out = 0.0
    concurrency = 1

    def __init__(self, answer: str) -> None:
        self.answer = answer

    def complete(self, prompt: str, max_tokens: int) -> Completion:
        return Completion(self.answer, 1, 1)


def twice(answer: str) -> tuple[Extraction, Extraction]:
    """An extraction with this answer, and another from its cache."""
    cache = MemoryCallCache()
    first = ModelExtractor(Answering(answer), cache, PatternExtractor(), (), threading.Event()).extract(
        PASSAGE
    )
    silent = Answering("never asked")
    again = ModelExtractor(silent, cache, PatternExtractor(), (), threading.Event()).extract(PASSAGE)
    return first, again


def check(answer: str) -> Extraction:
    first, again = twice(answer)
    assert (again.calls, again.cached) == (0, 1)
    assert replace(first, faults={}, calls=0, cached=1, tokens_in=0, tokens_out=0) == replace(
        again, faults={}
    )
    known = [named.name for named in first.names]
    keys = [(form(named.name), named.local) for named in first.names]
    assert len(keys) == len(set(keys))
    assert all(keys)
    for stated in first.statements:
        assert {stated.source, stated.target} <= set(known)
        assert form(stated.source) != form(stated.target)
        assert stated.sentence in TEXT
        assert stated.sentence.strip()
    above = " ".join((TEXT, PASSAGE.title, *PASSAGE.section))
    assert all(
        " ".join(named.name.split()) in " ".join(above.split()) for named in first.names if not named.local
    )
    json.dumps([named.name + named.type + named.description for named in first.names]).encode()
    structure = [named for named in PatternExtractor().extract(PASSAGE).names if named.role == "subject"]
    assert {form(named.name) for named in structure} <= {key for key, _ in keys}
    return first


@settings(max_examples=150, deadline=None)
@given(LISTS, LISTS)
def test_items_of_any_kind(entities: list[object], relations: list[object]) -> None:
    check(json.dumps({"entities": entities, "relations": relations}))


@settings(max_examples=100, deadline=None)
@given(RELATIONS)
def test_quotations_from_anywhere(relations: list[object]) -> None:
    first = check(json.dumps({"entities": KNOWN, "relations": relations}))
    assert {"CPU", "CR4.OSFXSR", "Großrechner", "--max-size", "控制器"} <= {n.name for n in first.names}
    for stated in first.statements:
        if stated.condition:
            parts = stated.condition.split("; ")
            assert all("".join(part.split()) in "".join(stated.sentence.split()) for part in parts)


@settings(max_examples=100, deadline=None)
@given(RELATIONS, st.data())
def test_an_answer_cut_anywhere(relations: list[object], data: st.DataObject) -> None:
    answer = json.dumps({"entities": KNOWN, "relations": relations})
    check(answer[: data.draw(st.integers(0, len(answer)))])


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet='{}[]":,\\ab `\n', max_size=60))
def test_text_that_is_nearly_json(answer: str) -> None:
    check(answer)

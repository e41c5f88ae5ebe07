"""The page of an evaluation: self-contained, inert against hostile text, worst questions first."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256

import lxml.html
import pytest
from lxml.html import HtmlElement
from page_report import FIRST, Balance, found, outcome, report, row, standing, two_configurations
from treegraph.indexer.errors import ConfigurationError
from treegraph.pipelines.evaluation import packages
from treegraph.pipelines.evaluation.outcomes import EvaluationReport
from treegraph.pipelines.evaluation.page.whole import render

HOSTILE = (
    "<script>alert(1)</script>\"'><img src=x onerror=alert(2)> \u202egpj.exe\u2069 \x00\x1b[31m{{ 7 * 7 }} "
    "\ud800 </textarea></style>&lt;b&gt; javascript:alert(3)"
)


def parse(page: str) -> HtmlElement:
    return lxml.html.document_fromstring(page)


def text_of(element: HtmlElement) -> str:
    return " ".join(" ".join(element.itertext()).split())


def questions(page: HtmlElement) -> list[HtmlElement]:
    return list(page.iterfind(".//details[@class='q']"))


def table_after(page: HtmlElement, heading: str) -> list[list[str]]:
    """The cells of the first table after the heading of that text."""
    table = page.xpath(f"//h2[starts-with(., '{heading}')]/following::table[1]")[0]
    return [[text_of(cell) for cell in line] for line in table.iter("tr")]


@pytest.fixture(scope="module")
def page() -> str:
    return render(two_configurations())


def test_the_page_is_well_formed_and_loads_nothing(page: str) -> None:
    balance = Balance(page)
    assert len(balance.ids) == len(set(balance.ids))
    assert "://" not in page
    loading = {name for _, name, _ in balance.attributes} & {
        "src",
        "srcset",
        "style",
        "action",
        "data",
        "poster",
    }
    assert not loading
    assert all(value.startswith("#") for _, name, value in balance.attributes if name == "href")


def test_the_policy_allows_the_pages_own_style_and_script_alone(page: str) -> None:
    document = parse(page)
    policy = document.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert parts["default-src"] == "'none'"
    for tag, directive in (("style", "style-src"), ("script", "script-src")):
        (text,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert parts[directive] == f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def test_the_questions_come_worst_first(page: str) -> None:
    order = [text_of(block.find("summary")) for block in questions(parse(page))]
    assert [re.search(r"what is (q\d)", line)[1] for line in order] == ["q4", "q3", "q2", "q1"]  # type: ignore[index]
    assert order[0].endswith("failed 1.000")
    assert order[2].endswith(".000 1.000")


def test_a_question_shows_where_its_gold_stood_and_what_became_of_it(page: str) -> None:
    sunk = questions(parse(page))[2]
    lines = [[text_of(cell) for cell in line] for line in sunk.find(".//table").iter("tr")]
    assert lines == [
        ["gold place", "configuration", "dense", "sparse", "blended", "fused", "final", "what became of it"],
        ["m.pdf@7", "1", "3", "40", "4", "14", "14", "sank after blending, by phrases and neighbours"],
        ["", "2", "2", "—", "—", "2", "2", "among the first 5"],
    ]
    nowhere = questions(parse(page))[1]
    line = [text_of(cell) for cell in nowhere.findall(".//table/tbody/tr")[0]]
    assert line == ["m.pdf@9", "1", "—", "—", "—", "—", "—", "in no list"]


def test_hits_are_marked_as_gold_by_a_word_and_their_tokens_add_up() -> None:
    hits = [found(1, "an answer about pumps", gold=True, dense=2), found(2, "no pumps")]
    made = report(
        row(FIRST, [outcome("q1", {"m.pdf@3": standing(1)}, hits)]), texts={"q1": "which pumps are there?"}
    )
    (block,) = questions(parse(render(made)))
    first, second = block.findall(".//table")[1].findall(".//tbody/tr")
    assert text_of(first) == "1 ★ gold m.pdf p. 3 an answer about pumps 1.000 2 100 100"
    assert first.get("class") == "gold"
    assert second.get("class") is None
    assert text_of(second).endswith("100 200")
    assert [mark.text for mark in first.iter("mark")] == ["pumps"]


def test_errors_degraded_steps_and_equal_results_are_named(page: str) -> None:
    blocks = [text_of(block) for block in questions(parse(page))]
    assert "The search failed: store error: the store is gone" in blocks[0]
    assert "Done without: rerank" in blocks[0]
    assert "2. context=none: found just what 1 found." in blocks[1]
    assert "found just what" not in blocks[2]


def test_the_head_says_what_was_measured_and_what_was_not(page: str) -> None:
    head = text_of(parse(page).find(".//header"))
    assert "manuals: 4 questions, 2 configurations, ordered by recall@5" in head
    assert "All with route=hybrid" in head
    assert "Left out route=graph: not built" in head
    assert "Notes two labels were left out" in head


def test_the_tables_hold_the_figures(page: str) -> None:
    document = parse(page)
    header, first, second = table_after(document, "Results")
    assert header == [
        "#",
        "configuration",
        "questions",
        "hit@1",
        "recall@5",
        "mrr",
        "p50",
        "p95",
        "tokens@10",
    ]
    assert first[:5] == ["1", "context=structure", "4", ".250 [.00 .75]", ".250 [.00 .75]"]
    assert second[4] == ".750 [.25 1.00]"
    assert first[6:8] == ["18 ms", "31 ms"]
    _, difference = table_after(document, "Differences")
    assert difference[2].startswith("+.500 [")
    lost = table_after(document, "Where the gold")
    assert lost[0][2:] == [
        "among the first 5",
        "in no list",
        "sank after blending, by phrases and neighbours",
        "the search failed",
    ]
    assert [line[2:] for line in lost[1:]] == [["1", "1", "1", "1"], ["3", "1", "0", "0"]]
    slices = table_after(document, "Slices")
    assert [line[0] for line in slices] == ["type", "table", "fact"]
    assert slices[1][1:] == ["2", ".000 [.00 .00]", "—"]


def test_marks_beyond_noise_are_not_by_colour_alone() -> None:
    better = [outcome(f"q{n}", {"m.pdf@3": standing(1)}) for n in range(8)]
    worse = [outcome(f"q{n}", {"m.pdf@3": standing(None)}) for n in range(8)]
    down = render(report(row(FIRST, better), row(FIRST | {"context": "none"}, worse)))
    assert "▼ -1.0" in text_of(parse(down).get_element_by_id("differences"))
    same = render(report(row(FIRST, better), row(FIRST | {"context": "none"}, better)))
    assert table_after(parse(same), "Differences")[1][1] == ".000 [.000 .000]"


def test_choices_are_the_slices_and_what_became_of_the_gold(page: str) -> None:
    document = parse(page)
    options = {option.get("value"): option.text for option in document.iterfind(".//option")}
    groups = {group.get("label") for group in document.iterfind(".//optgroup")}
    assert groups == {"what became of the gold", "type"}
    for block, (became, kind) in zip(
        questions(document),
        [
            ("the search failed", "table"),
            ("in no list", "table"),
            ("sank after blending, by phrases and neighbours", "fact"),
            ("among the first 5", "fact"),
        ],
        strict=True,
    ):
        assert {options[value] for value in block.get("data-q").split()} == {became, kind}
    assert document.get_element_by_id("choose").get("hidden") is not None  # of no use without the script


def hostile_report() -> EvaluationReport:
    hits = [found(1, HOSTILE, cited=HOSTILE)]
    outcomes = [
        outcome(HOSTILE, {HOSTILE: standing(3, dense=3)}, hits, degraded=(HOSTILE,)),
        outcome("q2", {}, error=HOSTILE),
    ]
    made = report(
        row({HOSTILE: "a"}, outcomes, HOSTILE),
        row({HOSTILE: HOSTILE}, outcomes, HOSTILE),
        texts={HOSTILE: HOSTILE},
        left_out={HOSTILE: HOSTILE},
        notes=(HOSTILE,),
    )
    fields = {HOSTILE: HOSTILE, "type": HOSTILE}
    questions = {HOSTILE: {HOSTILE: {"text": HOSTILE, "fields": fields}, "q2": {"text": "", "fields": {}}}}
    return replace(made, name=HOSTILE, questions=questions)


def test_hostile_text_is_inert_wherever_it_comes_from() -> None:
    page = render(hostile_report())
    page.encode("utf-8")  # no lone surrogate is left
    balance = Balance(page)
    tags = {tag for tag, _, _ in balance.attributes}
    assert "img" not in tags
    assert page.count("<script") == 1
    assert not [name for _, name, _ in balance.attributes if name.startswith("on")]
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", page)
    assert "{{ 7 * 7 }}" in page
    assert "<script>alert(1)</script>" in parse(page).get_element_by_id("questions").text_content()


def many(count: int, configurations: int, text: str) -> EvaluationReport:
    hits = [found(n, f"{text} {n} " * 40, dense=n, sparse=n, fused=n) for n in range(1, 11)]
    outcomes = [
        outcome(f"question-{n:05}", {"m.pdf@3": standing(n % 90 + 1, dense=4)}, hits) for n in range(count)
    ]
    first = row({"context": "0"}, outcomes)
    return report(*(replace(first, config={"context": str(n)}) for n in range(configurations)))


def test_six_thousand_questions_stay_a_page_that_opens() -> None:
    made = many(6000, 1, "pump")
    page = render(made)
    document = parse(page)
    assert len(page.encode()) < 10_000_000
    full, brief = len(questions(document)), len(document.findall(".//tr[@data-q]"))
    assert full == 500
    assert full + brief == 6000
    assert "The 500 worst are here in full, the other 5500 in a line each" in page


def test_many_configurations_take_room_from_the_questions_not_from_the_reader() -> None:
    different = many(120, 30, "泵")
    rows = [
        replace(
            each,
            outcomes=tuple(
                replace(one, hits=tuple(replace(hit, id=f"{n}-{hit.id}") for hit in one.hits))
                for one in each.outcomes
            ),
        )
        for n, each in enumerate(different.rows)
    ]
    page = render(replace(different, rows=tuple(rows)))
    assert len(page.encode()) < 10_000_000
    document = parse(page)
    assert 20 < len(questions(document)) < 120
    assert len(table_after(document, "Results")) == 31
    assert "Questions show the first 12 configurations." in page


def test_sets_have_their_own_sections_and_one_list_of_questions() -> None:
    made = report(
        row(FIRST, [outcome("q1", {"a.pdf@1": standing(1)})], "a"),
        row(FIRST, [outcome("q1", {"b.pdf@1": standing(8)})], "b"),
    )
    document = parse(render(made))
    assert [text_of(head) for head in document.xpath("//section[@id='results']/h3")] == ["a", "b"]
    assert [text_of(block.find(".//dd")) for block in questions(document)] == ["b", "a"]
    assert "differences" not in {section.get("id") for section in document.iter("section")}


def test_a_report_of_nothing_is_a_page_all_the_same() -> None:
    assert "Evaluation of manuals" in render(EvaluationReport("manuals", ()))
    Balance(render(report(row(FIRST, []))))


def test_a_missing_package_is_named_with_the_command_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(packages, "import_module", missing)
    with pytest.raises(ConfigurationError, match=r"pip install 'treegraph\[eval\]'"):
        render(report(row(FIRST, [outcome("q1", {"m.pdf@3": standing(1)})])))

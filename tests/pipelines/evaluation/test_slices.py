"""Slices of sets of records: by the document that they are cut from, by language."""

from treegraph.pipelines.evaluation.outcomes import Outcome
from treegraph.pipelines.evaluation.questions import Part, Question
from treegraph.pipelines.evaluation.slices import slices_of


def test_records_are_grouped_by_language_and_by_the_document_that_they_are_cut_from() -> None:
    gold = [("pump#0",), ("pump#1", "pump#4"), ("valve#0",), ("pump#1", "valve#2")]
    questions = tuple(Question(f"q{n}", "?", dict.fromkeys(each, 1)) for n, each in enumerate(gold))
    outcomes = [Outcome(question.id, {"hit@1": 1.0}, {}, (), 0.1) for question in questions]
    languages = {"set/corpus.jsonl#pump": "de", "set/corpus.jsonl#valve": "en"}

    found = slices_of(Part("set", ("set",), questions, "record"), outcomes, languages)

    assert [(each.field, each.value, each.queries) for each in found] == [
        ("document", "pump", 2),
        ("document", "valve", 1),
        ("language", "de", 2),
        ("language", "en", 1),
    ]


def test_a_corpus_of_single_records_has_languages_but_no_documents() -> None:
    questions = tuple(Question(f"q{n}", "?", {str(n): 1}) for n in range(4))
    outcomes = [Outcome(question.id, {"hit@1": 1.0}, {}, (), 0.1) for question in questions]
    languages = {f"set/corpus.jsonl#{n}": "zh" if n % 2 else "en" for n in range(4)}

    found = slices_of(Part("set", ("set",), questions, "record"), outcomes, languages)

    assert [(each.field, each.value, each.queries) for each in found] == [
        ("language", "en", 2),
        ("language", "zh", 2),
    ]

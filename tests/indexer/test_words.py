import math
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from treegraph.indexer.models.ports import SparseEncoder
from treegraph.indexer.words import WordEncoder, term_index, words

ENCODER = WordEncoder()


def overlap(question: str, passage: str, *, language: str | None = "en") -> set[str]:
    """The forms of a question that a passage holds."""
    languages = [language] if language else []
    terms = ENCODER.terms(question, languages)
    (vector,) = ENCODER.encode([passage], [language])
    return {terms[index] for index in vector.indices if index in terms}


def test_it_is_a_sparse_encoder_that_leaves_idf_to_the_store() -> None:
    assert isinstance(ENCODER, SparseEncoder)
    assert ENCODER.idf
    assert WordEncoder(1.2, 0.75, 100).name == "words-1(k1=1.2,b=0.75,avg=100)"


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("CR4.OSFXSR", "set CR4.OSFXSR first"),
        ("OSFXSR", "set CR4.OSFXSR first"),
        ("cr4", "set CR4.OSFXSR first"),
        ("0x1f", "the mask 0x1F"),
        ("MAX_BUFFER_SIZE", "raise maxBufferSize"),
        ("maxBufferSize", "raise --max-buffer-size"),
        ("buffer", "MAX_BUFFER_SIZE"),
        ("buffer", "maxBufferSize"),
        ("HTTP-403", "answers HTTP403"),
        ("403", "answers HTTP-403"),
        ("max-old-space-size", "node --max-old-space-size=4096"),
        ("TryRecvError", "std::sync::mpsc::TryRecvError"),
        ("recv", "std::sync::mpsc::TryRecvError"),
        ("3.14", "version 3.14 of it"),
        ("valves", "the valve's seat"),
        ("file", "a \ufb01le"),
        ("ABC123", "ＡＢＣ１２３"),
        ("Poincare", "Poincaré map"),
        ("installation", "instal\u00adlation"),
    ],
)
def test_a_question_meets_a_passage_that_writes_it_otherwise(question: str, passage: str) -> None:
    assert overlap(question, passage)


def test_an_identifier_counts_whole_and_in_parts() -> None:
    assert set(ENCODER.terms("CR4.OSFXSR", ["en"]).values()) == {
        "cr4osfxsr*", "cr4*", "cr4", "osfxsr*", "osfxsr",
    }  # fmt: skip


def test_numbers_with_a_point_are_not_run_together() -> None:
    assert not overlap("3.14", "314")
    assert not overlap("1.5", "15")


def test_the_exact_word_counts_for_more_than_a_relative() -> None:
    assert overlap("valves", "valves") == {"valv*", "valves"}
    assert overlap("valves", "valve") == {"valv*"}


@pytest.mark.parametrize(
    ("question", "passage", "language"),
    [
        ("車両", "電動車両の点検", "ja"),
        ("車", "車", "ja"),
        ("检测", "泄漏检测装置", "zh"),
        ("설치", "설치하기 전에", "ko"),
        ("ปั๊ม", "เครื่องปั๊มน้ำ", "th"),
        ("Festplatten", "die Festplatte", "de"),
        ("насосы", "насосов", "ru"),
        ("насосы", "насосов", "de"),
        ("पंपों", "पंप", "hi"),
    ],
)
def test_other_scripts_and_languages(question: str, passage: str, language: str) -> None:
    assert overlap(question, passage, language=language)


def test_unspaced_runs_are_bigrams() -> None:
    assert words("日本語と Kana") == ["日本", "本語", "語と", "kana"]
    assert words("車 A") == ["車", "a"]


def test_a_question_is_asked_in_all_languages_of_the_index() -> None:
    passages = ["the installations are old", "die Installationen sind alt"]
    vectors = ENCODER.encode(passages, ["en", "de"])
    question = set(ENCODER.encode_question("installationen installations", ["en", "de"]).indices)
    assert all(question & set(vector.indices) for vector in vectors)


def test_function_words_are_left_out_of_questions_only() -> None:
    terms = set(ENCODER.terms("What does the valve do?", ["en"]).values())
    assert terms == {"valv*", "valve"}
    (vector,) = ENCODER.encode(["What does the valve do"], ["en"])
    assert term_index("the") in vector.indices


def test_the_function_words_are_those_of_the_questions_own_language() -> None:
    assert set(ENCODER.terms("Wie wird das Ventil gewartet?", ["en", "de"]).values()) >= {"ventil"}
    assert "wie" not in ENCODER.terms("Wie wird das Ventil gewartet?", ["en", "de"]).values()
    assert "die" in ENCODER.terms("When does the process die?", ["en", "de"]).values()


def test_names_in_capitals_and_bare_questions_keep_their_words() -> None:
    assert "it" in ENCODER.terms("How is IT organised", ["en"]).values()
    assert set(ENCODER.terms("to be or not to be", ["en"]).values()) >= {"not"}
    assert set(ENCODER.terms("who are you", ["en"]).values()) >= {"who", "you"}


def test_weights_are_those_of_bm25() -> None:
    encoder = WordEncoder(k1=1.2, b=0.75, average=10)
    (vector,) = encoder.encode(["pump pump seal"], ["en"])
    weights = dict(zip(vector.indices, vector.values, strict=True))
    norm = 1.2 * (1 - 0.75 + 0.75 * 6 / 10)  # three words, each as it stands and as its stem
    assert math.isclose(weights[term_index("pump")], 2 * 2.2 / (2 + norm))
    assert math.isclose(weights[term_index("seal")], 1 * 2.2 / (1 + norm))


def test_a_longer_passage_weighs_a_word_less() -> None:
    short, long = ENCODER.encode(["a pump", "a pump " + "and other things " * 40], ["en", "en"])
    weigh = [dict(zip(v.indices, v.values, strict=True))[term_index("pump")] for v in (short, long)]
    assert weigh[0] > weigh[1]


def test_terms_are_the_same_in_another_process() -> None:
    code = "from treegraph.indexer.words import WordEncoder as W; print(W().encode(['Pump 車両'], ['en']))"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == str(ENCODER.encode(["Pump 車両"], ["en"]))


def test_nothing_to_say_is_an_empty_vector() -> None:
    (vector,) = ENCODER.encode([" \n--- ..."], [None])
    assert vector.indices == vector.values == ()
    assert ENCODER.encode_question("?!", []).indices == ()


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200), st.sampled_from(["en", "de", "zh", "ar", "xx", None]))
def test_any_text_gives_a_sorted_vector_of_positive_weights(text: str, language: str | None) -> None:
    (vector,) = ENCODER.encode([text], [language])
    assert list(vector.indices) == sorted(set(vector.indices))
    assert all(0 <= index < 2**32 for index in vector.indices)
    assert all(value > 0 for value in vector.values)
    assert WordEncoder().encode([text], [language]) == [vector]


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60), st.sampled_from(["en", "de", "zh", "ar"]))
def test_a_question_always_finds_its_own_words(text: str, language: str) -> None:
    asked = set(ENCODER.encode_question(text, [language]).indices)
    found = set(ENCODER.encode([text], [language])[0].indices)
    assert not asked or asked & found

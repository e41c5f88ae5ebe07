"""The statements that the default extractor reads out of sentences: type, direction, condition, negation."""

from __future__ import annotations

import pytest
from treegraph.indexer.graph.extraction import Extraction, Passage
from treegraph.indexer.graph.patterns import PatternExtractor

SUBJECT = "ADDPS"


def read(text: str, language: str = "en", title: str = SUBJECT) -> Extraction:
    return PatternExtractor().extract(Passage("chunk", "document", text, title, language=language))


def stated(text: str, language: str = "en", title: str = SUBJECT) -> list[tuple[str, str, str, str]]:
    found = read(text, language, title).statements
    return [(one.source, one.type, one.target, one.condition) for one in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FOO_A requires SSE2.", ("FOO_A", "requires", "SSE2", "")),
        ("The FOO_A function needs the SSE2 unit.", ("FOO_A", "requires", "SSE2", "")),
        ("CR4.OSFXSR is set by the kernel KX2.", ("KX2", "sets", "CR4.OSFXSR", "")),
        ("FOO_A can be disabled by CR0.EM.", ("CR0.EM", "disables", "FOO_A", "")),
        ("FOO_A depends on BAR_B.", ("FOO_A", "depends on", "BAR_B", "")),
        ("FOO_A inherits from BAR_B.", ("FOO_A", "inherits from", "BAR_B", "")),
        ("FOO_A is part of BAR_B.", ("FOO_A", "is part of", "BAR_B", "")),
        ("FOO_A is connected to BAR_B.", ("FOO_A", "is connected to", "BAR_B", "")),
        ("FOO_A is an SSE2 instruction.", ("FOO_A", "belongs to", "SSE2", "")),
        ("FOO_A is used to set BAR_B.", ("FOO_A", "sets", "BAR_B", "")),
        ("It returns BAR_B.", (SUBJECT, "returns", "BAR_B", "")),
        ("This instruction reads BAR_B.", (SUBJECT, "reads", "BAR_B", "")),
        ("Clears BAR_B.", (SUBJECT, "clears", "BAR_B", "")),
        ("The value of FOO_A controls BAR_B.", ("FOO_A", "controls", "BAR_B", "")),
        ("FOO_A is guarded by BAR_B.", ("BAR_B", "protects", "FOO_A", "")),
        ("FOO_A activates BAR_B.", ("FOO_A", "enables", "BAR_B", "")),
        ("FOO_A is built into BAR_B.", ("FOO_A", "is part of", "BAR_B", "")),
        ("FOO_A is the successor of BAR_B.", ("FOO_A", "successor of", "BAR_B", "")),
        ("The limits of FOO_A are loaded from BAR_B.", ("FOO_A", "comes from", "BAR_B", "")),
        ("Use FOO_A to set BAR_B.", ("FOO_A", "sets", "BAR_B", "")),
        ("You can use the FOO_A command to adjust BAR_B.", ("FOO_A", "configures", "BAR_B", "")),
        ("To enable BAR_B, use FOO_A.", ("FOO_A", "enables", "BAR_B", "")),
        ("Ada Orban was born in Lenz.", ("Ada Orban", "was born in", "Lenz", "")),
        ("The Lenz Mill was founded by Ada Orban.", ("Ada Orban", "founded", "Lenz Mill", "")),
        ("The Lenz Mill is located in Upper Orb.", ("Lenz Mill", "is located in", "Upper Orb", "")),
        ("Ada Orban was the mayor of Lenz.", ("Ada Orban", "mayor of", "Lenz", "")),
        ("Upper Orb is a French film directed by Ada Orban.", ("Ada Orban", "directed", "Upper Orb", "")),
    ],
)
def test_english_patterns(text: str, expected: tuple[str, str, str, str]) -> None:
    assert stated(text) == [expected]


def test_direction_is_that_of_the_sentence() -> None:
    assert stated("SSE2 requires FOO_A.")[0][:3] == ("SSE2", "requires", "FOO_A")
    assert stated("FOO_A requires SSE2.")[0][:3] == ("FOO_A", "requires", "SSE2")


def test_lists_state_a_relation_each() -> None:
    assert [one[2] for one in stated("FOO_A uses BAR_A, BAR_B and BAR_C.")] == ["BAR_A", "BAR_B", "BAR_C"]
    assert [one[0] for one in stated("FOO_A and FOO_B use BAR_A.")] == ["FOO_A", "FOO_B"]
    assert [one[2] for one in stated("FOO_A uses BAR_A, BAR_B is old.")] == ["BAR_A"]


def test_appositions_and_relative_clauses_keep_their_subject() -> None:
    text = "Orb Mills, founded by Ada Orban and Per Lind, acquired Lenz Works, which owns Upper Dam."
    assert [one[:3] for one in stated(text)] == [
        ("Ada Orban", "founded", "Orb Mills"),
        ("Per Lind", "founded", "Orb Mills"),
        ("Orb Mills", "acquired", "Lenz Works"),
        ("Lenz Works", "owns", "Upper Dam"),
    ]


def test_verbs_joined_by_and_share_their_subject() -> None:
    assert [one[:3] for one in stated("Ada Orban was born in Lenz and died in Upper Orb.")] == [
        ("Ada Orban", "was born in", "Lenz"),
        ("Ada Orban", "died in", "Upper Orb"),
    ]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("FOO_A does not require BAR_B.", "en"),
        ("FOO_A doesn't need BAR_B.", "en"),
        ("FOO_A never sets BAR_B.", "en"),
        ("FOO_A is not set by BAR_B.", "en"),
        ("FOO_A is not a BAR_B.", "en"),
        ("No FOO_A requires BAR_B.", "en"),
        ("Does FOO_A use BAR_B?", "en"),
        ("FOO_A is set, BAR_B is not.", "en"),
        ("If FOO_A sets BAR_B, nothing happens.", "en"),
        ("FOO_A benötigt kein BAR_B.", "de"),
        ("FOO_A unterstützt BAR_B nicht.", "de"),
        ("FOO_A ne nécessite pas BAR_B.", "fr"),
        ("FOO_A no requiere BAR_B.", "es"),
        ("FOO_A 不需要 BAR_B。", "zh"),
        ("FOO_A は BAR_B を使用しない。", "ja"),
        ("FOO_A는 BAR_B를 사용하지 않습니다.", "ko"),
    ],
)
def test_what_is_denied_asked_or_supposed_is_not_stated(text: str, language: str) -> None:
    assert stated(text, language) == []


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("FOO_A sets BAR_B only if CR4.X = 1.", "en", ("FOO_A", "sets", "BAR_B", "only if CR4.X = 1")),
        ("If CR0.EM = 1, FOO_A raises INT6.", "en", ("FOO_A", "causes", "INT6", "If CR0.EM = 1")),
        ("FOO_A uses BAR_B unless QUX_C is set.", "en", ("FOO_A", "uses", "BAR_B", "unless QUX_C is set")),
        ("FOO_A uses BAR_B except in real mode.", "en", ("FOO_A", "uses", "BAR_B", "except in real mode")),
        ("FOO_A setzt BAR_B, falls CR0.EM = 0.", "de", ("FOO_A", "sets", "BAR_B", "falls CR0.EM = 0")),
        ("FOO_A setzt BAR_B, außer im Real Mode.", "de", ("FOO_A", "sets", "BAR_B", "außer im Real Mode")),
        ("FOO_A utilise BAR_B sauf en mode réel.", "fr", ("FOO_A", "uses", "BAR_B", "sauf en mode réel")),
        ("FOO_A usa BAR_B si CR0.EM = 0.", "es", ("FOO_A", "uses", "BAR_B", "si CR0.EM = 0")),
        ("如果 CR0.EM = 1，FOO_A 触发 INT6。", "zh", ("FOO_A", "causes", "INT6", "如果 CR0.EM = 1")),
        (
            "CR0.EM = 1 の場合、FOO_A は BAR_B を設定する。",
            "ja",
            ("FOO_A", "sets", "BAR_B", "CR0.EM = 1 の場合"),
        ),
        (
            "CR0.EM이 1인 경우 FOO_A는 BAR_B를 사용합니다.",
            "ko",
            ("FOO_A", "uses", "BAR_B", "CR0.EM이 1인 경우"),
        ),
    ],
)
def test_conditions_and_exceptions_are_kept(
    text: str, language: str, expected: tuple[str, str, str, str]
) -> None:
    assert stated(text, language) == [expected]
    assert expected[3] in text


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The operating system must set CR4.X before ADDPS can run.", "en"),
        ("CR4.X must be set before executing ADDPS.", "en"),
        ("ADDPS can only be executed if CR4.X is set.", "en"),
        ("The instruction is available only when CR4.X is set.", "en"),
        ("ADDPS cannot run unless CR4.X is set.", "en"),
        ("ADDPS kann nur verwendet werden, wenn CR4.X gesetzt ist.", "de"),
    ],
)
def test_what_must_be_first_is_required(text: str, language: str) -> None:
    assert [one[:3] for one in stated(text, language)] == [("ADDPS", "requires", "CR4.X")]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("FOO_A benötigt BAR_B.", "de", ("FOO_A", "requires", "BAR_B")),
        ("FOO_A wird von BAR_B gesetzt.", "de", ("BAR_B", "sets", "FOO_A")),
        ("FOO_A wird durch BAR_B ersetzt.", "de", ("BAR_B", "replaces", "FOO_A")),
        ("Der Befehl setzt BAR_B.", "de", (SUBJECT, "sets", "BAR_B")),
        ("Ada Orban wurde in Lenz geboren.", "de", ("Ada Orban", "was born in", "Lenz")),
        ("FOO_A nécessite BAR_B.", "fr", ("FOO_A", "requires", "BAR_B")),
        ("FOO_A est défini par BAR_B.", "fr", ("BAR_B", "sets", "FOO_A")),
        ("FOO_A requiere BAR_B.", "es", ("FOO_A", "requires", "BAR_B")),
        ("Ada Orban nació en Lenz.", "es", ("Ada Orban", "was born in", "Lenz")),
        ("FOO_A 需要 BAR_B。", "zh", ("FOO_A", "requires", "BAR_B")),
        ("FOO_A 由 BAR_B 设置。", "zh", ("BAR_B", "sets", "FOO_A")),
        ("该指令使用 BAR_B。", "zh", (SUBJECT, "uses", "BAR_B")),
        ("北京大学位于北京市。", "zh", ("北京大学", "is located in", "北京市")),
        ("FOO_A は BAR_B を必要とする。", "ja", ("FOO_A", "requires", "BAR_B")),
        ("FOO_A は BAR_B によって設定される。", "ja", ("BAR_B", "sets", "FOO_A")),
        ("このコマンドは BAR_B を使用する。", "ja", (SUBJECT, "uses", "BAR_B")),
        ("FOO_A는 BAR_B를 필요로 합니다.", "ko", ("FOO_A", "requires", "BAR_B")),
        ("FOO_A는 BAR_B에 의해 설정됩니다.", "ko", ("BAR_B", "sets", "FOO_A")),
        ("이 명령은 BAR_B를 사용합니다.", "ko", (SUBJECT, "uses", "BAR_B")),
    ],
)
def test_other_languages(text: str, language: str, expected: tuple[str, str, str]) -> None:
    assert [one[:3] for one in stated(text, language)] == [expected]


def test_evidence_is_the_sentence_as_it_stands() -> None:
    text = "First words.\nFOO_A  requires\nBAR_B. Last words."
    assert [one.sentence for one in read(text).statements] == ["FOO_A  requires\nBAR_B."]


def test_the_two_hops_of_a_manual() -> None:
    known = stated("ADDPS requires SSE. SSE requires CR4.OSFXSR, and CR0.EM disables SSE.", title="Chapter")
    assert [one[:3] for one in known] == [
        ("ADDPS", "requires", "SSE"),
        ("SSE", "requires", "CR4.OSFXSR"),
        ("CR0.EM", "disables", "SSE"),
    ]

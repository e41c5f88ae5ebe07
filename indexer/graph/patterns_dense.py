"""Relations that Chinese, Japanese and Korean clauses state between names: few patterns, precise ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..names import Found
from .patterns_conditions import Span
from .patterns_units import Triple
from .patterns_verbs_dense import CHINESE, JAPANESE, KOREAN

_CLAUSE_END = re.compile(r"[。！？；;!?\n]")
_FARTHEST = 24
"""Characters between two names that a relation is read over."""

_ZH_NEVER = re.compile(r"[不没未无非]")
_ZH_IS = re.compile(r"\s*(?:[（(][^）)]{0,40}[）)])?\s*就?是(?:一[个种款台座位本部]|指)?\s*\Z")
_ZH_PASSIVE = re.compile(r"[被由]\s*\Z")
_ZH_PART = re.compile(r"\s*的一?(?:部分|个?组成部分|个成员)")
_ZH_SUBJECT = re.compile(
    r"(?:它|该(?:指令|命令|函数|寄存器|程序|选项|软件包?|工具|标志|类)|本(?:指令|命令|函数|程序)"
    r"|此(?:指令|命令|函数|选项))"
)
_JA_TOPIC = re.compile(r"[^、。]{0,8}?(?:には|では|とは|は|が|も)")
_JA_CASE = re.compile(r"\s*(?P<case>によって|により|から|を|が|に|の|で|と)(?P<rest>[^、。]{0,36})")
_JA_IS = re.compile(r"\s*(?:です|である|であり|だ。|の一種)")
_JA_PART = re.compile(r"\s*の一部")
_JA_NEVER = re.compile(r"ない|ません|ぬ|ず(?:に|、|。)|なく")
_JA_PASSIVE = re.compile(r"(?:さ|か|ら|ま|わ)?れ(?:る|た|て|ます|ました|ています|ている)(?=[。、\s]|\Z)")
_JA_CLOSES = re.compile(r"[\u3041-\u3096]{0,12}(?=[。、\s]|\Z)")
"""After its verb a clause has only its ending: what goes on in a noun is attributive."""
_JA_SUBJECT = re.compile(
    r"(?:これ|それ|この(?:命令|コマンド|関数|オプション|プログラム|パッケージ|レジスタ|ツール)"
    r"|本(?:命令|コマンド|関数|プログラム))(?:には|では|は|が)"
)
_KO_TOPIC = re.compile(r"[^,.]{0,10}?(?:에는|에서는|은|는|이|가)(?=\s)")
_KO_CASE = re.compile(
    r"(?P<case>에 의해|으로부터|로부터|에서|을|를|이|가|에|의|와|과)\s+(?P<rest>[^,.]{0,14})"
)
_KO_IS = re.compile(r"(?:입니다|이다|이며)")
_KO_PART = re.compile(r"의 일부")
_KO_NEVER = re.compile(r"지 않|지 못|없|안 ")
_KO_ATTRIBUTE = re.compile(r"(?:하는|되는|된|한|할|되어 있는|하던|될)(?=\s)")
_KO_APART = 10
_KO_SUBJECT = re.compile(
    r"(?:이 (?:명령|함수|옵션|프로그램|패키지|레지스터|파라미터|도구)|이것)(?:에는|은|는|이|가)"
)
_OBLIQUE = frozenset(
    {
        "belongs to", "defeated", "depends on", "inherits from", "is connected to", "is located in",
        "supports", "was born in",
    }
)  # fmt: skip
"""What bears on something that is not its object: "X は Y に 依存する"."""
_KANA = re.compile(r"[\u3041-\u3096]")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")


def find_dense_relations(
    sentence: str, offset: int, names: Sequence[Found], conditions: Sequence[Span], subject: bool
) -> Iterator[Triple]:
    """The relations that a sentence beginning at ``offset`` of the names' text states; an end that is None is
    what the chunk is about. Negated clauses and conditions state none."""
    standing: list[tuple[Found | None, int, int]] = [
        (name, name.start - offset, name.end - offset)
        for name in names
        if not any(start <= name.start - offset < end for start, end in conditions)
    ]
    read = _chinese
    pronoun = _ZH_SUBJECT
    if _KANA.search(sentence):
        read, pronoun = _japanese, _JA_SUBJECT
    elif _HANGUL.search(sentence):
        read, pronoun = _korean, _KO_SUBJECT
    opening = pronoun.match(sentence.lstrip(" 　\n•-")) if subject else None
    if opening:
        end = len(sentence) - len(sentence.lstrip(" 　\n•-")) + opening.end()
        if read is not _chinese:
            end -= len(re.search(r"(?:には|では|は|が|에는|은|는|이|가)?\Z", opening[0])[0])  # type: ignore[index]
        standing = [(None, 0, end), *(one for one in standing if one[1] >= end)]
    for first, second in pairwise(standing):
        gap = sentence[first[2] : second[1]]
        if len(gap) > _FARTHEST or _CLAUSE_END.search(gap):
            continue
        after = sentence[second[2] : second[2] + 40]
        ending = _CLAUSE_END.search(after)
        for swap, type in read(gap, after[: ending.start()] if ending else after):
            yield Triple(second[0], type, first[0]) if swap else Triple(first[0], type, second[0])
            break


def _chinese(gap: str, after: str) -> Iterator[tuple[bool, str]]:
    """Subject, verb, object; the agent of 被 and 由 stands before its verb."""
    if _ZH_NEVER.search(gap) or any(sign in gap for sign in "，、,"):
        return
    if _ZH_PASSIVE.search(gap):
        done = CHINESE.first(after, 8)
        if done and not _ZH_NEVER.search(after[: done[1]]):
            yield True, done[0]
        return
    if _ZH_IS.match(gap):
        if _ZH_PART.match(after):
            yield False, "is part of"
        elif not after.startswith("的"):
            yield False, "is a"
        return
    verb = CHINESE.first(gap, len(gap))
    if verb and "的" not in gap[: verb[1]] and not gap.startswith(("的", "从", "在", "对", "将"), verb[2]):
        yield False, verb[0]


def _japanese(gap: str, after: str) -> Iterator[tuple[bool, str]]:
    """The topic, then what the particle after the second name and the verb at the end make of it."""
    if not _JA_TOPIC.match(gap) or _JA_NEVER.search(after):
        return
    if _JA_PART.match(after) or _JA_IS.match(after):
        yield False, "is part of" if _JA_PART.match(after) else "is a"
        return
    case = _JA_CASE.match(after)
    verb = JAPANESE.first(case["rest"], 16) if case else None
    if case is None or verb is None or not _JA_CLOSES.match(case["rest"], verb[2]):
        return
    if case["case"] in ("によって", "により"):
        if _JA_PASSIVE.search(case["rest"], verb[1]):
            yield True, verb[0]
    elif case["case"] == "を" or _fits(verb[0], case["case"], ("が",), ("に", "で", "から")):
        yield False, verb[0]


def _korean(gap: str, after: str) -> Iterator[tuple[bool, str]]:
    """As in Japanese; particles stand at the end of the word that the name begins."""
    topic = _KO_TOPIC.match(gap)
    if topic is None or len(gap) - topic.end() > _KO_APART or _KO_NEVER.search(after):
        return
    if _KO_PART.match(after) or _KO_IS.match(after):
        yield False, "is part of" if _KO_PART.match(after) else "is a"
        return
    case = _KO_CASE.match(after)
    verb = KOREAN.first(case["rest"], 14) if case else None
    if case is None or verb is None or _KO_ATTRIBUTE.match(case["rest"], verb[2]):
        return
    if case["case"] == "에 의해":
        yield True, verb[0]
    elif case["case"] in ("을", "를") or _fits(
        verb[0], case["case"], ("이", "가"), ("에", "에서", "와", "과")
    ):
        yield False, verb[0]


def _fits(type: str, case: str, subject: tuple[str, ...], oblique: tuple[str, ...]) -> bool:
    """Whether a particle that marks no object marks what a verb of this type bears on."""
    return (case in subject and type == "requires") or (case in oblique and type in _OBLIQUE)

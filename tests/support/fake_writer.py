"""A fake of a language model for whole builds: it answers each prompt of the indexer in the form that it asks
for, with words of the passages that it is shown. A share of its answers is of no use, as a model's are.

It understands nothing: a summary is made of the passages' sentences, a name is a word within a sentence that
begins with a capital, or stands behind an article.
"""

from __future__ import annotations

import json
import re
import zlib
from itertools import zip_longest

from fake_openai import Answer, Script

_NUMBERS = re.compile(r"for each of the chunks ([\d, ]+) one")
_WORDS = re.compile(r"in (\d+) words at most|, (\d+) words at most")
_PASSAGE = re.compile(r"<passage[^>]*>\n(.*?)\n</passage>", re.DOTALL)
_TITLE = re.compile(r'<document title="([^"]*)"')
_SENTENCE = re.compile(r"[^.!?\n]{20,}?[.!?](?=\s|$)")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][A-Za-z-]{3,}(?: [A-Z][a-z]{3,})?\b")
_THING = re.compile(r"\b[Tt]he ([a-z]{4,})")
_DIGIT = re.compile(r"\d")
_MOST = re.compile(r"at most (\d+) entities")
_DESCRIBED = 10


def writer(wrong: float = 0.0) -> Script:
    """A script for FakeOpenAIServer; ``wrong`` is the share of useless answers. The same prompt gets the same
    answer."""

    def script(prompt: str, number: int) -> Answer:
        if zlib.crc32(prompt.encode()) % 1000 < wrong * 1000:
            return Answer("That is all that I can say.")
        return Answer(_answer(prompt))

    return script


def _answer(prompt: str) -> str:
    if numbers := _NUMBERS.search(prompt):
        return _contexts(prompt, [int(number) for number in numbers[1].split(",")])
    passages = _PASSAGE.findall(prompt)
    if '{"summary": "..."}' in prompt:
        return json.dumps({"summary": _summary(passages, _most_words(prompt))}, ensure_ascii=False)
    most = _MOST.search(prompt)
    return _extraction(passages[0] if passages else "", int(most[1]) if most else 6)


def _most_words(prompt: str) -> int:
    found = _WORDS.findall(prompt)
    return int(next(filter(None, found[-1]))) if found else 60


def _contexts(prompt: str, numbers: list[int]) -> str:
    title = _TITLE.search(prompt)
    named = re.sub(r"[^\w ]", " ", title[1] if title else "the manual")
    said = f"This part of {named} tells how the matter of its section is handled in practice"
    return json.dumps({str(number): f"{said}, number {number}." for number in numbers}, ensure_ascii=False)


def _summary(passages: list[str], words: int) -> str:
    """Sentences of the passages, one from each in turn, as many as fit two thirds of the room: a model stays
    below its limit. Those with numbers, which may lose their units, only where there are no others."""
    found = [[" ".join(each.split()) for each in _SENTENCE.findall(passage)] for passage in passages]
    plain = [[each for each in sentences if not _DIGIT.search(each)] for sentences in found]
    taken: list[str] = []
    for row in zip_longest(*(plain if any(plain) else found)):
        for sentence in filter(None, row):
            if len(" ".join([*taken, sentence]).split()) <= words * 2 / 3:
                taken.append(sentence)
    return " ".join(taken) or " ".join(" ".join(passages).split()[: words // 2])


def _extraction(passage: str, most: int) -> str:
    """As many names as are asked for, each with words that stand behind it, and what sentences join."""
    names = list(dict.fromkeys([*_NAME.findall(passage), *_THING.findall(passage)]))[:most]
    entities = [{"name": name, "type": "part", "description": _beside(passage, name)} for name in names]
    relations = []
    for sentence in _SENTENCE.findall(passage):
        held = [name for name in names if name in sentence]
        if len(held) >= 2:
            ends = {"source": held[0], "target": held[1], "type": "goes with"}
            relations.append({**ends, "evidence": sentence, "condition": "", "description": ""})
    return json.dumps({"entities": entities, "relations": relations[:most]}, ensure_ascii=False)


def _beside(passage: str, name: str) -> str:
    """The words of a passage from a name on, without numbers."""
    words = passage[passage.index(name) :].split()[:_DESCRIBED]
    return " ".join(word for word in words if not _DIGIT.search(word))

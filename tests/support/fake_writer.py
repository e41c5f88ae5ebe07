"""A fake of a language model for whole builds: it answers each prompt of the indexer in the form that it asks
for, with words of the passages it is shown. A share of its answers is of no use, as a model's now and then is.

It understands nothing: a summary is made of the passages' first sentences, a name of a word in capitals.
"""

from __future__ import annotations

import json
import re
import zlib

from fake_openai import Answer, Script

_NUMBERS = re.compile(r"for each of the chunks ([\d, ]+) one")
_WORDS = re.compile(r"in (\d+) words at most|, (\d+) words at most")
_PASSAGE = re.compile(r"<passage[^>]*>\n(.*?)\n</passage>", re.DOTALL)
_TITLE = re.compile(r'<document title="([^"]*)"')
_SENTENCE = re.compile(r"[^.!?\n]{20,}?[.!?](?=\s|$)")
_NAME = re.compile(r"\b[A-Z][A-Za-z-]{3,}(?: [A-Z][a-z]{3,})?\b")
_NAMES = 6


def writer(wrong: float = 0.0) -> Script:
    """A script for :class:`.fake_openai.FakeOpenAIServer`; ``wrong`` is the share of useless answers. The same
    prompt gets the same answer."""

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
    return _extraction(passages[0] if passages else "")


def _most_words(prompt: str) -> int:
    found = _WORDS.findall(prompt)
    return int(next(filter(None, found[-1]))) if found else 60


def _contexts(prompt: str, numbers: list[int]) -> str:
    title = _TITLE.search(prompt)
    named = re.sub(r"[^\w ]", " ", title[1] if title else "the manual")
    said = f"This part of {named} tells how the matter of its section is handled in practice"
    return json.dumps({str(number): f"{said}, number {number}." for number in numbers}, ensure_ascii=False)


def _summary(passages: list[str], words: int) -> str:
    """Sentences of the passages, one from each in turn, as many as fit."""
    sentences = [_SENTENCE.findall(passage) for passage in passages]
    taken: list[str] = []
    for turn in range(max(map(len, sentences), default=0)):
        for each in sentences:
            if turn < len(each) and len(" ".join([*taken, each[turn]]).split()) <= words:
                taken.append(" ".join(each[turn].split()))
    return " ".join(taken) or " ".join(" ".join(passages).split()[:words])


def _extraction(passage: str) -> str:
    names = list(dict.fromkeys(_NAME.findall(passage)))[:_NAMES]
    entities = [{"name": name, "type": "part", "description": ""} for name in names]
    relations = []
    for sentence in _SENTENCE.findall(passage):
        held = [name for name in names if name in sentence]
        if len(held) >= 2:
            ends = {"source": held[0], "target": held[1], "type": "goes with"}
            relations.append({**ends, "evidence": sentence, "condition": "", "description": ""})
    return json.dumps({"entities": entities, "relations": relations[:_NAMES]}, ensure_ascii=False)

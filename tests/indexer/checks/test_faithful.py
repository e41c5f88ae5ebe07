"""The check of a summary against its passages: what is planted is caught, what is honest passes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.checks.faithful import faults
from treegraph.indexer.sentences import sentence_ends

ROOT = Path(__file__).parents[3]
UNITS = {
    "V": "mA", "mA": "V", "A": "V", "W": "V", "kHz": "MHz", "MHz": "kHz", "Hz": "kHz", "s": "ms",
    "ms": "s", "C": "F", "°C": "K", "mm": "cm", "cm": "mm", "m": "mm", "m2": "m", "kg": "g",
    "g": "kg", "mol": "kg", "%": "V", "baud": "bit", "kB": "MB", "MB": "kB", "bit": "byte",
    "bits": "bytes", "bytes": "bits", "Ω": "kΩ", "seconds": "minutes", "second": "hour",
    "minutes": "seconds", "minute": "day", "hours": "days", "hour": "week", "days": "hours",
    "day": "year", "weeks": "days", "months": "weeks", "years": "months", "percent": "volts",
    "Nm": "N", "N": "Nm", "Pa": "kPa", "bar": "mbar", "mm2": "mm", "l": "ml", "秒": "分間", "分": "秒",
    "日": "か月",
}  # fmt: skip
WORDS = {
    "2": "two",
    "3": "three",
    "4": "four",
    "5": "five",
    "6": "six",
    "7": "seven",
    "8": "eight",
    "9": "nine",
}
WORDS["10"] = "ten"
NUMBER = re.compile(r"(?<![\w.,:/-])\d+(?:[.,]\d+)?(?![\w.,:/-]?\d)(?!\w*_)(?![A-Za-z]\d)")
WITH_UNIT = re.compile(
    rf"(?<![\w.,:/-])\d+(?:\.\d+)?\s?({'|'.join(sorted(UNITS, key=len, reverse=True))})(?![\w/*^-])"
)
CODE = re.compile(r"(?<![\w-])[A-Z]{1,4}-?\d{1,4}(?![\w-])")


def passages() -> list[list[str]]:
    """The sample's text in groups of paragraphs, as the chunks of a branch."""
    files = sorted([*ROOT.glob("corpora/field_guide/*.md"), *ROOT.glob("corpora/sample/*.md")])
    groups = []
    for file in files:
        parts = [part for part in file.read_text(encoding="utf-8").split("\n\n") if part.strip()]
        groups += [parts[at : at + 12] for at in range(0, len(parts), 12)]
    return groups


def sentences(group: list[str]) -> Iterator[str]:
    for part in group:
        if part.lstrip().startswith(("|", "#", "```", "<", "!")):
            continue
        start = 0
        for end in sentence_ends(part):
            sentence = " ".join(part[start:end].split())
            start = end
            if 20 <= len(sentence) <= 400:
                yield sentence


def wrong_number(sentence: str, group: list[str], rng: random.Random) -> str | None:
    found = list(NUMBER.finditer(sentence))
    there = set(re.findall(r"\d+(?:[.,]\d+)?", " ".join(group)))
    if not found:
        return None
    match = rng.choice(found)
    for _ in range(50):
        digits = list(match[0])
        at = rng.choice([i for i, c in enumerate(digits) if c.isdigit()])
        digits[at] = rng.choice("123456789")
        number = "".join(digits)
        if number not in there and number.lstrip("0") not in there and not re.fullmatch(r"\d|1\d|20", number):
            return sentence[: match.start()] + number + sentence[match.end() :]
    return None


def wrong_unit(sentence: str, group: list[str], rng: random.Random) -> str | None:
    found = list(WITH_UNIT.finditer(sentence))
    if not found:
        return None
    match = rng.choice(found)
    unit = UNITS[match[1]]
    number = re.match(r"[\d.]+", match[0])
    assert number
    together = " ".join(group)
    spelled = WORDS.get(number[0], "\0")
    if spelled in together or len(re.findall(rf"(?<![\d.]){re.escape(number[0])}(?!\d)", together)) > 1:
        return None  # it may stand there with the other unit, in another spelling
    return sentence[: match.start(1)] + unit + sentence[match.end(1) :]


def wrong_code(sentence: str, group: list[str], rng: random.Random) -> str | None:
    found = list(CODE.finditer(sentence))
    if not found:
        return None
    match = rng.choice(found)
    code = match[0][:-1] + rng.choice([d for d in "0123456789" if d != match[0][-1]])
    if re.search(rf"(?<![\w]){re.escape(code)}(?!\w)", " ".join(group)):
        return None
    return sentence[: match.start()] + code + sentence[match.end() :]


def planted(
    plant: Callable[[str, list[str], random.Random], str | None], count: int
) -> list[tuple[str, list[str]]]:
    rng = random.Random(7)
    pool = [(sentence, group) for group in passages() for sentence in sentences(group)]
    found: list[tuple[str, list[str]]] = []
    while len(found) < count:
        sentence, group = rng.choice(pool)
        wrong = plant(sentence, group, rng)
        if wrong:
            found.append((wrong, group))
    return found


@pytest.mark.parametrize(("plant", "count"), [(wrong_number, 80), (wrong_unit, 60), (wrong_code, 60)])
def test_everything_planted_is_caught(
    plant: Callable[[str, list[str], random.Random], str | None], count: int
) -> None:
    missed = [wrong for wrong, group in planted(plant, count) if not faults(wrong, group, "en")]
    assert missed == []


IRREGULAR = {"the": "this", "is": "was", "are": "were", "and": "as well as", "must": "has to", "can": "may"}


def reordered(sentence: str, rng: random.Random) -> str:
    parts = [part.strip() for part in re.split(r"[,;] (?![^(]*\))", sentence.rstrip(".")) if part.strip()]
    rng.shuffle(parts)
    text = ", ".join(parts)
    return text[0].upper() + text[1:] + "."


def renumbered(sentence: str, rng: random.Random) -> str:
    """The same numbers in another notation."""

    def again(match: re.Match[str]) -> str:
        digits = match[0]
        if digits.isdigit() and len(digits) > 3 and not digits.startswith(("0", "19", "20")):
            return f"{int(digits):,}" if rng.random() < 0.5 else f"{int(digits):,}".replace(",", "\u202f")
        if digits.isdigit() and 2 <= int(digits) <= 9 and rng.random() < 0.5:
            return WORDS[digits]
        return f"{digits}0" if "." in digits else digits

    text = NUMBER.sub(again, sentence)
    return WITH_UNIT.sub(lambda match: match[0].replace(" ", ""), text)


def reworded(sentence: str, rng: random.Random) -> str:
    if not sentence.isascii():
        return sentence
    words = [IRREGULAR.get(word, word) if rng.random() < 0.7 else word for word in sentence.split(" ")]
    return "In short: " + " ".join(words)


def full_width(sentence: str, rng: random.Random) -> str:
    return NUMBER.sub(lambda m: m[0].translate({ord(c): ord(c) + 0xFEE0 for c in "0123456789"}), sentence)


def as_it_stands(sentence: str, rng: random.Random) -> str:
    return sentence


def test_honest_summaries_pass() -> None:
    rng = random.Random(11)
    pool = [(sentence, group) for group in passages() for sentence in sentences(group)]
    ways = (as_it_stands, reordered, renumbered, reworded, full_width)
    rejected = []
    for n in range(200):
        sentence, group = rng.choice(pool)
        honest = ways[n % len(ways)](sentence, rng)
        wrong = faults(honest, group, "en")
        if wrong:
            rejected.append((honest, wrong))
    assert len(rejected) <= 10, rejected


@pytest.mark.parametrize(
    ("summary", "passage", "language"),
    [
        ("Up to 1,000 files.", "1000 files at most", "en"),
        ("Up to 1 000 files.", "1,000 files at most", "en"),
        ("Bis zu 1.000 Dateien.", "höchstens 1000 Dateien", "de"),
        ("Es sind 2,5 V.", "2.50 V", "de"),
        ("It takes three steps.", "The 3 steps are these.", "en"),
        ("Es hat 3 Eingänge.", "drei Eingänge", "de"),
        ("Twenty-four channels.", "24 channels", "en"),
        ("A 5V supply.", "5 V", "en"),
        ("It needs 5 µs at 3 kΩ, or 20 ℃.", "5μs; 3 kΩ; 20 °C", "en"),
        ("A supply of 5 volts.", "a 5-V supply", "en"),
        ("It waits 0.5 s.", "after 500 ms", "en"),
        ("From 10 V to 30 V.", "10–30 V", "en"),
        ("From -40 to 85 °C.", "−40 … +85 °C", "en"),
        ("Half, 50 percent.", "50 %", "en"),
        ("On 1 May 2024 it changed.", "2024-05-01", "en"),
        ("In May 2024 it changed.", "01.05.2024: changed", "en"),
        ("The RD-2 relay.", "relay RD2", "en"),
        ("Version 2.6 is needed.", "needs v2.6", "en"),
        ("Several LEDs flash.", "the LED flashes", "en"),
        ("It takes 24 V.", "| Supply (V) | Current (mA) |\n| --- | --- |\n| 24 | 30 |", "en"),
        ("The 16-bit register CR4.", "CR4.OSFXSR, 16 bits", "en"),
        ("电源为 24 伏,共三个通道。", "24V 电源有 3 个通道", "zh"),
        ("12か月ごとに校正します。", "12 months; 12 か月ごとに校正", "ja"),
        ("Heron writes to the Modbus port.", "The heron has a Modbus port.", "en"),
        ("The Installers ask Debian users.", "installer, Debian, user", "en"),
        ("1. Open it.\n2. Close it.", "Open it and close it.", "en"),
    ],
)
def test_another_notation_is_no_fault(summary: str, passage: str, language: str) -> None:
    assert faults(summary, [passage], language) == []


@pytest.mark.parametrize(
    ("summary", "passage", "language", "kind", "text"),
    [
        ("It takes 24 mA.", "24 V", "en", "unit", "24 mA"),
        ("It takes 42 V.", "24 V", "en", "number", "42 V"),
        ("The crystal has 32.768 MHz.", "32.768 kHz", "en", "unit", "32.768 MHz"),
        ("Der Quarz hat 32,768 MHz.", "32,768 kHz", "de", "unit", "32,768 MHz"),
        ("51. Open it.", "Open it.", "en", "number", "51"),
        ("Use V6.", "at 5 V 6 times", "en", "identifier", "V6"),
        ("It takes four steps.", "The 3 steps are these.", "en", "number", "four"),
        ("Use RD3.", "RD2, RD23, RD31", "en", "identifier", "RD3"),
        ("Use E-102.", "E-101", "en", "identifier", "E-102"),
        ("Set MAX_LEN.", "MAX_SIZE", "en", "identifier", "MAX_LEN"),
        ("Pass --force.", "pass --forced", "en", "identifier", "--force"),
        ("Needs 3.15.98.", "3.15.9", "en", "identifier", "3.15.98"),
        ("At 12:30 it starts.", "at 12:15", "en", "identifier", "12:30"),
        ("It waits 5 minutes.", "5 s", "en", "unit", "5 minutes"),
        ("Down to -40 °C.", "40 °C", "en", "number", "-40 °C"),
        ("On 2 May 2024.", "2024-05-01 and 2 others", "en", "number", "2 May 2024"),
        ("It was made by Siemens in Berlin.", "It was made in Berlin.", "en", "name", "Siemens"),
        ("Es wiegt 3,5 kg.", "3,6 kg", "de", "number", "3,5 kg"),
        ("电源为 24 毫安。", "24V 电源", "zh", "unit", "24 毫安"),
        ("共四个通道。", "3 个通道", "zh", "number", "四"),
        ("使用 Kafka 传输。", "使用消息队列传输", "zh", "name", "Kafka"),
        ("由王小明先生编写。", "由李先生编写", "zh", "name", "由王小明"),
        ("60秒待ちます。", "60分待ちます", "ja", "unit", "60秒"),
        ("Trois volts.", "deux volts", "fr", "number", "Trois volts"),
    ],
)
def test_what_no_passage_says_is_named(
    summary: str, passage: str, language: str, kind: str, text: str
) -> None:
    assert [(fault.kind, fault.text) for fault in faults(summary, [passage], language)] == [(kind, text)]


def test_numbers_come_from_any_passage_and_pairs_from_one() -> None:
    parts = ["The pump takes 24 V.", "The lamp takes 30 mA."]
    assert faults("24 V for the pump, 30 mA for the lamp.", parts, "en") == []
    assert [fault.kind for fault in faults("30 V and 24 mA.", parts, "en")] == ["unit", "unit"]


def test_a_summary_in_another_language_is_checked_against_its_source() -> None:
    assert (
        faults("It has three inputs of 5 seconds.", ["Es hat drei Eingänge, 5 Sekunden."], "en", "de") == []
    )
    assert faults("It has two inputs.", ["Es hat drei Eingänge."], "en", "de")


@given(st.integers(0, 10**9), st.sampled_from(["{:d}", "{:,d}", "{:d}.0", "{:d} V", "{:d}V"]))
def test_a_number_is_itself_in_every_notation(number: int, form: str) -> None:
    assert faults(f"It is {form.format(number)} at most.", [f"at most {number} V"], "en") == []


@given(st.text(max_size=200), st.lists(st.text(max_size=200), max_size=3))
def test_any_text_can_be_checked_and_none_contradicts_itself(summary: str, passages: list[str]) -> None:
    assert faults(summary, [*passages, summary], "en") == []

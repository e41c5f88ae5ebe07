"""What a text says that a numbered part is: the noun for its kind that stands beside it."""

from __future__ import annotations

import re

from ..names import Found
from ..names_lists import openers, word_set

_NUMBERED = re.compile(r"[A-Z]{1,6}[-/ ]?\d{1,6}[A-Za-z]?\Z")
"""How parts are numbered: what kind of thing they are no such list can hold."""
_QUOTE = r"[\"'“”‘’`*]{0,3}"
_IS = re.compile(rf"{_QUOTE}(?:,| is| was) (?:an?|the) ([a-z]+(?:[ -][a-z]+)*)")
_CALLED = re.compile(rf"\b(?:[Tt]he|[Aa]n?|[Tt]his|[Ee]ach|[Ee]very)((?: [a-z-]+){{1,3}}) {_QUOTE}\Z")
_ARTICLE = re.compile(rf"\b(?:the|an?|this|each|every) {_QUOTE}\Z", re.IGNORECASE)
_BESIDE = re.compile(rf"{_QUOTE} ([a-z]{{3,16}})(?=[.,;:)]| ([a-z]+))")
_MOST_WORDS = 4
_AFTER = word_set(
    """in of on at for to from by with near between behind under over inside above below that which who whose
    and or but is are was were has have had must may can cannot shall should will would needs does do not
    before after when while until unless if as than"""
)
_VAGUE = word_set(
    """same new old other following previous next first second last main whole only original current part
    piece kind type sort set number name thing item one result case version member example way entire second
    actual matching corresponding respective given unit device module value path component register bit
    extension field port pin signal line block object element assembly section step"""
)
"""Words that say nothing of what kind a thing is: any numbered thing is a unit, and has a value."""
PARTS = word_set(
    """actuator alarm antenna arm beam boiler bolt bracket breaker burner button cabinet camera chamber clamp
    compressor condenser conveyor cooler cylinder damper detector diode door engine fan fastener filter fuse
    gauge gear generator heater hose hopper indicator inverter ladder lamp lever manifold meter nozzle panel
    pipe pump rack rail relay resistor room rotor sensor solenoid spring switch tank thermostat transformer
    transmitter turbine valve vessel winch"""
)
"""Nouns for kinds of parts and places, where a thing of one is none of another. What a numbered thing has
itself (a motor, a seal, a cable) is not here: "the P-12 motor" may be the motor of the pump P-12."""
_VERBAL = re.compile(r"(?:[^s]s|ed|ing|ly)\Z")


def kind_of_part(text: str, found: Found) -> str:
    """The noun that a text calls a numbered part by, before it, after it, or where it says what it is:
    "the bracket PV-68", "the PV-68 valve is shut", "PV-68 is a relief valve"; empty for any other name."""
    if not _NUMBERED.match(found.name):
        return ""
    if said := _IS.match(text, found.end, found.end + 80):
        return _head(said[1])
    before = text[max(0, found.start - 60) : found.start]
    if called := _CALLED.search(before):
        return _called(called[1])
    beside = _BESIDE.match(text, found.end, found.end + 60)
    if beside and _ARTICLE.search(before) and (beside[2] is None or beside[2] in _AFTER | openers("en")):
        return beside[1] if beside[1] in PARTS or _is_said(beside[1], text, found.name) else ""
    return ""


def _called(phrase: str) -> str:
    """The noun of what stands between an article and a name. Of several words it may be a verb ("the crew
    flew F-16"), but for a kind of part."""
    if _VERBAL.search(phrase) or _has_plain(phrase):
        return ""
    noun = _head(phrase)
    return noun if noun in PARTS or len(phrase.split()) == 1 else ""


def _is_said(noun: str, text: str, name: str) -> bool:
    """Whether a text calls a name so elsewhere, too, where no verb can stand: before it, or in "is a"."""
    if noun in _VAGUE:
        return False
    number = re.escape(name)
    said = rf"\b(?:[Tt]he|[Aa]n?) {noun} {number}\b|\b{number} is (?:an?|the) (?:[a-z]+ ){{0,2}}{noun}\b"
    return re.search(said, text) is not None


def _has_plain(phrase: str) -> bool:
    """Whether a phrase is more than adjectives and a noun: "BPS replaces the"."""
    return any(word in _AFTER or word in openers("en") for word in phrase.split())


def _head(phrase: str) -> str:
    """The noun that a phrase comes to before a preposition or the like; empty where it says nothing."""
    words: list[str] = []
    for word in phrase.replace("-", " ").split():
        if word in _AFTER or word in openers("en"):
            break
        words.append(word)
    plain = not words or len(words) > _MOST_WORDS or words[-1] in _VAGUE or len(words[-1]) < 3
    return "" if plain else words[-1]

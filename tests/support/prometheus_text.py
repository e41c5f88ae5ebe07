"""Reads the text format of Prometheus by its grammar (version 0.0.4): what does not fit is an error."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)')
_SAMPLE = re.compile(rf"({_NAME})(?:\{{(.*)\}})? ([^ ]+)")
_COMMENT = re.compile(rf"# (HELP|TYPE) ({_NAME}) (.*)")
_ESCAPES = {r"\\": "\\", r"\"": '"', r"\n": "\n"}


@dataclass
class Family:
    """The samples of one name, by their sorted labels."""

    help: str = ""
    type: str = ""
    samples: dict[tuple[tuple[str, str], ...], float] = field(default_factory=dict)

    def by(self, label: str) -> dict[str, float]:
        """The samples by the value of one label."""
        return {dict(labels)[label]: value for labels, value in self.samples.items()}


def parse(text: str) -> dict[str, Family]:
    """The families of a file, by name."""
    assert text.endswith("\n")
    families: dict[str, Family] = {}
    now = ""
    for line in text[:-1].split("\n"):
        if comment := _COMMENT.fullmatch(line):
            kind, name, rest = comment.groups()
            assert name == now or name not in families, f"{name} is not in one group"
            family, now = families.setdefault(name, Family()), name
            assert not family.samples, f"{name}: {kind} comes after a sample"
            assert not getattr(family, kind.lower()), f"{name}: {kind} is there twice"
            setattr(family, kind.lower(), rest)
            continue
        sample = _SAMPLE.fullmatch(line)
        assert sample, f"no sample and no comment: {line!r}"
        name, labels, value = sample.groups()
        assert name == now, f"{name} stands in the group of {now}"
        key = tuple(sorted(_labels(labels or "")))
        assert key not in families[name].samples, f"twice: {line}"
        families[name].samples[key] = float(value)
    for name, family in families.items():
        assert family.help, f"{name} has no HELP"
        assert family.type == "gauge", f"{name} is a {family.type}"
    return families


def _labels(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        label = _LABEL.match(text, at)
        assert label, f"no label: {text[at:]!r}"
        value = re.sub(r'\\[\\"n]', lambda escape: _ESCAPES[escape[0]], label[2])
        assert label[1] not in dict(found), f"twice: {label[1]}"
        found.append((label[1], value))
        at = label.end()
    return found

"""A question as an answer is held against it: its words with their weights, and what kind of answer it asks
for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...indexer.checks.number_words import spelled
from ...indexer.words import words
from ..phrases import Match, Matcher, question_forms

_KEY = 1 / 3
_REFERENCE = re.compile(
    r"\([^()]*\b(?:p|pp|page|section|S|Abschnitt)\b\.? ?\d[^()]*\)"
    r"|\b(?:[Pp]ages?|pp?\.|[Ss]ections?|[Cc]hapters?|[Ff]igures?|[Tt]ables?|Abschnitt|Kapitel|Seite|Tabelle|Abb\.)"
    r" \d[\d.]*|[项節章页頁] ?\d[\d.]*"
)
"""Figures that say where something stands, and nothing of it."""
_SHAPES = (
    (
        "syntax",
        r"\b(?:syntax|general form|synopsis|signature|prototype|example of|command line)\b"
        r"|\b(?:aufruf|beispiel)\b|语法|構文|구문",
    ),
    (
        "quantity",
        r"\bhow (?:many|much|long|large|big|often|far|fast|high|old)\b"
        r"|\bwhat (?:is|was|are) the (?:\w+ ){0,3}"
        r"(?:number|size|value|limit|rate|maximum|minimum|default|amount|total|year|date|version|temperature)\b"
        r"|\bwhen\b|\bwie ?(?:viele?|lange?|groß|oft|hoch|weit|schnell)\b"
        r"|\bwann\b|\bcombien\b|\bcuánt[oa]s?\b"
        r"|\bquant[oiae]\b|\bhoeveel\b|\bсколько\b|多少|几个|何(?:個|時|日|年|回|枚|人|分|秒)|いくつ|いつ|몇|얼마|언제",
    ),
    (
        "definition",
        r"^\W*(?:what(?:'s| is| are| does)|define"
        r"|was (?:ist|sind|bedeutet|bewirkt|macht)|qu'est-ce|qué (?:es|son)"
        r"|che cos|o que é|wat is|что такое)\b|是什么|什么是|とは|何ですか|무엇|(?:이|란) ?뭐",
    ),
    (
        "steps",
        r"\bhow (?:do|can|does|to|should|would|could|is|are)\b|\bwie "
        r"(?:kann|wird|werden|man|stelle|lässt|installier"
        r"|erstell|starte|richte|änder)\w*|\bcomment\b|\bcómo\b|\bcome\b|\bhoe\b|\bкак\b|如何|怎么|怎样|どうやって|方法"
        r"|どのように|어떻게|방법",
    ),
    ("reason", r"\b(?:why|warum|wieso|weshalb|pourquoi|por qué|perché|waarom|почему)\b|为什么|なぜ|왜"),
)
_HOW_MANY = re.compile(
    r"\bhow (?:many|much|long|large|big|often|far|fast|high|old)\b"
    r"|\bwie ?(?:viele?|lange?|oft|hoch|weit|schnell)\b",
    re.IGNORECASE,
)
"""Words that ask for a figure, and that no answer needs to say."""
_ASKED = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _SHAPES)
_DEFINES = re.compile(
    r"\b(?:is|are|means?|refers? to|stands for|denotes|called|provides?|allows?|defines?|specif(?:y|ies)"
    r"|represents?|ist|sind|bedeutet|bezeichnet|heißt|dient|est|sont|signifie|es|son|significa|é|è)\b|是|表示|とは|です|である|입니다"
    r"|이다|란 |말한다",
    re.IGNORECASE,
)
_TELLS = {
    "syntax": re.compile(r"[<>\[\](){}=|;]|--?\w|\w+\("),
    "quantity": re.compile(
        r"\d|\b(?:one|two|three|four|five|six|eight|ten|zwei|drei|vier|fünf)\b|[一二三四五六七八九十]"
    ),
    "definition": _DEFINES,
    "steps": re.compile(
        r"\b(?:use|using|set|run|type|call|enter|select|choose|add|press|click|specify"
        r"|need to|must|can be|you can|by \w+ing|verwenden|benutzen|wählen|geben sie|können sie|mit|utilis\w+"
        r"|usar|usando)\b|使用|可以|请|運行|运行|ます"
        r"|してください|하십시오|합니다|하려면",
        re.IGNORECASE,
    ),
    "reason": re.compile(
        r"\b(?:because|since|so that|in order to|reason|due to|therefore|guarantee|avoid|prevent"
        r"|weil|da|damit|deshalb|parce|porque|perché|omdat|потому)\b|因为|由于|以便|ため|ので|から|때문|위해",
        re.IGNORECASE,
    ),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the weights of its word forms (as a search found them). ``key`` is the form that
    weighs as much as half of the others together, where there is one; ``dense`` the share that the search
    gave to likeness (0..1), ``figures`` the forms that are numbers, spelled out or not."""

    text: str
    weights: Mapping[str, float]
    shape: str = ""
    key: str | None = None
    dense: float = 0.45
    figures: frozenset[str] = frozenset()
    _matchers: dict[str | None, Matcher] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str, weights: Mapping[str, float], dense: float = 0.45) -> Asked:
        """The question with its shape: quantity, definition, steps, reason, or empty for another."""
        shape = next((name for name, pattern in _ASKED if pattern.search(text)), "")
        heaviest = max(weights, key=lambda form: (weights[form], form), default=None)
        key = heaviest if heaviest and weights[heaviest] >= _KEY * sum(weights.values()) else None
        return cls(text, weights, shape, key, dense, frozenset(_figures(text)))

    def without_asking(self) -> Asked:
        """The question without the words that ask for a figure ("how many"), if any are left then."""
        said = _HOW_MANY.search(self.text)
        if said is None:
            return self
        asking = question_forms(said[0], "en" if said[0].casefold().startswith("how") else "de")
        weights = {form: weight for form, weight in self.weights.items() if form not in asking}
        return Asked.of(self.text, weights, self.dense) if any(weights.values()) else self

    def match(self, text: str, language: str | None, heading: str = "") -> Match:
        """What stands of the question in a text of that language."""
        if language not in self._matchers:
            forms = question_forms(self.text, language)
            weights = (
                self.weights if any(self.weights.get(form) for form in forms) else dict.fromkeys(forms, 1.0)
            )
            self._matchers[language] = Matcher(forms, weights, language)
        return self._matchers[language].match(text, "", heading)

    def lacks_figure(self, match: Match, language: str | None) -> bool:
        """Whether a number of the question is missing in what matched it, in a text of that language."""
        return bool(self.figures) and bool(self.figures & self.match(self.text, language).found - match.found)

    def echoes(self, text: str, language: str | None) -> bool:
        """Whether a text asks the question itself, or says not a word more."""
        if text.rstrip().endswith(("?", "？")):
            return True
        return set(words(text, language)) <= set(words(self.text, language))

    def tells(self, text: str) -> bool:
        """Whether a text has the shape of an answer to this question."""
        return bool(self.shape) and _TELLS[self.shape].search(_REFERENCE.sub("", text)) is not None


def _figures(text: str) -> Iterator[str]:
    """The forms of a question's numbers."""
    for word in words(_REFERENCE.sub("", text)):
        if any(map(str.isdigit, word)) or spelled(word, None) is not None:
            yield from question_forms(word, None)

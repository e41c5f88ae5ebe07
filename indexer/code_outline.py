"""What encloses a place in source code, for many languages, by the look of the lines.

No parser: definition lines are known by their keywords (or, in C and Java, by the shape of a function's
head), and what encloses what by indentation, which people keep in every language with braces too.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

_MODIFIER = (
    r"(?:(?:export|default|declare|public|private|protected|internal|static|final|abstract|async|sealed"
    r"|partial|override|open|data|inline|virtual|unsafe|const|extern|template\s*<[^>\n]*>"
    r"|pub(?:\([^)\n]*\))?|\"C\"|@\w+(?:\([^)\n]*\))?)\s+)*"
)
_TYPE = (
    r"class|struct|enum(?:\s+class)?|trait|interface|record|namespace|module|mod|object|union|protocol|impl"
)
_FUNCTION = r"def|fn|func|function\*?|fun|sub|proc|macro_rules!"
_KEYWORD = re.compile(
    rf"^(?P<indent>[ \t]*){_MODIFIER}(?:(?P<type>{_TYPE})|(?P<function>{_FUNCTION})"
    r"|type(?=\s+\w+(?:<[^>\n]*>)?\s*(?:=|struct|interface)))"
    r"(?P<rest>[ \t<(][^\n;]*)(?P<end>;?)",
    re.MULTILINE,
)
_CONTROL = (
    r"if|for|while|switch|catch|return|else|do|throw|new|delete|case|assert|sizeof|await|yield|elif|with"
)
_HEAD = re.compile(
    rf"^(?P<indent>[ \t]*)(?!(?:{_CONTROL})\b)(?:[\w:<>,*&\[\]~?]+[ \t*&]+)+"
    rf"(?!(?:{_CONTROL})\b)(?P<name>[\w:~]+)[ \t]*\([^;={{}}]{{0,600}}\)[^;=(){{}}]{{0,200}}\{{",
    re.MULTILINE,
)
_BOUND = re.compile(
    r"^(?P<indent>[ \t]*)(?:export\s+)?(?:const|let|var)\s+(?P<name>\w+)[^=\n]*=\s*"
    r"(?:async\s*)?(?:function\b|\([^)\n]*\)[^=\n]*=>|\w+\s*=>)",
    re.MULTILINE,
)
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:(?:::|\.)[\w$]+)*")
_GENERIC = re.compile(r"<[^<>]*>")
_CLOSING = re.compile(r"[ \t]*(?:[)\]}>;,]+|end\b|else\b|\*/|//.*|#.*|\*.*)?[ \t;,]*$")
_COMMENT = re.compile(
    r"(?P<block>/\*+!?(?P<inside>.*?)\*/)|(?P<doc>\"\"\"(?P<quoted>.*?)\"\"\")"
    r"|(?P<lines>(?:^[ \t]*(?://[/!]?|#(?!!|include|define|if|pragma|import)|--|;;)[^\n]*\n?)+)",
    re.MULTILINE | re.DOTALL,
)
_MARKERS = re.compile(r"^[ \t]*(?://[/!]?|#+|--|;;+|\*+(?!/))[ \t]?", re.MULTILINE)
_LEGAL = re.compile(
    r"copyright|licen[cs]e|spdx|all rights reserved|warrant|redistribut|@author|eslint|clang-format|"
    r"generated|-\*-",
    re.IGNORECASE,
)
_CODE_END = tuple("{};(),:>/\\[]=")
_CODE_START = ("//", "/*", "*", "#", "@", "}", ")", "import ", "from ", "use ", "def ", "return ")


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition that starts at ``start``: ``indent`` columns in, ``label`` as one would name it."""

    start: int
    indent: int
    label: str
    is_type: bool


class CodeOutline:
    """The definitions of one source file."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.definitions = _definitions(text)
        self._starts = [definition.start for definition in self.definitions]

    def enclosing(self, start: int, end: int) -> list[str]:
        """Labels of the definitions that ``text[start:end]`` begins inside of, outermost first."""
        indent = _first_indent(self._text, start, end)
        stack: list[Definition] = []
        for definition in self.definitions[: bisect_left(self._starts, start)]:
            while stack and stack[-1].indent >= definition.indent:
                stack.pop()
            stack.append(definition)
        return [definition.label for definition in stack if definition.indent < indent]

    def types(self, most: int) -> list[str]:
        """The names of the file's first types that stand outermost, else of its functions."""
        outer = min((d.indent for d in self.definitions), default=0)
        top = [d for d in self.definitions if d.indent == outer]
        chosen = [d for d in top if d.is_type] or top
        return list(dict.fromkeys(d.label for d in chosen))[:most]

    def purpose(self) -> str:
        """The first sentence of the first comment that says what the file is for, or nothing."""
        for match in _COMMENT.finditer(self._text[:4000]):
            inside = match["inside"] or match["quoted"] or match["lines"] or ""
            said = " ".join(_MARKERS.sub("", inside).split()).strip("-=*/ ")
            if len(said) >= 12 and not _LEGAL.search(said):
                return re.split(r"(?<=[.!?])\s", said, maxsplit=1)[0]
        return ""


def looks_like_code(text: str) -> bool:
    """Whether most lines of a text look like source code and it defines something."""
    lines = [line for line in text[:20_000].splitlines() if line.strip()]
    if len(lines) < 3:
        return False
    coded = sum(line.rstrip().endswith(_CODE_END) or line.lstrip().startswith(_CODE_START) for line in lines)
    return coded / len(lines) > 0.5


def _definitions(text: str) -> list[Definition]:
    found: dict[int, Definition] = {}
    for match in _KEYWORD.finditer(text):
        label = _label(match["type"] or "", match["rest"])
        if label and not (match["end"] and match["type"] != "mod"):
            found[match.start()] = _definition(text, match, label, match["function"] is None)
    for pattern in (_HEAD, _BOUND):
        for match in pattern.finditer(text):
            found.setdefault(match.start(), _definition(text, match, match["name"], False))
    return [found[start] for start in sorted(found)]


def _definition(text: str, match: re.Match[str], label: str, is_type: bool) -> Definition:
    return Definition(match.start(), len(match["indent"].expandtabs(4)), label, is_type)


def _label(keyword: str, rest: str) -> str:
    """The name that a definition line gives; of an ``impl`` also the trait; of a Go method its type."""
    plain = rest
    while _GENERIC.search(plain):
        plain = _GENERIC.sub("", plain)
    plain = re.split(r"[{=]|\bwhere\b", plain, maxsplit=1)[0].strip()
    if keyword == "impl":
        return " ".join(plain.split())
    if receiver := re.match(r"\(\s*\w*\s*\*?\s*(\w+)\s*\)\s*(\w+)", plain):
        return f"{receiver[1]}.{receiver[2]}"
    name = _NAME.match(plain)
    return name[0] if name else ""


def _first_indent(text: str, start: int, end: int) -> int:
    """Columns before the first line of a stretch that is more than a closing bracket or a comment."""
    at = text.rfind("\n", 0, start) + 1 if not text[text.rfind("\n", 0, start) + 1 : start].strip() else start
    for line in text[at:end].splitlines():
        if line.strip() and not _CLOSING.match(line):
            expanded = line.expandtabs(4)
            return len(expanded) - len(expanded.lstrip())
    return 0

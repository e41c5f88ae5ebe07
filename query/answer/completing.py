"""What makes a passage whole: the rest of its sentence, of its list, the head of its table.

A chunk ends where its budget did. What it lacks stands in the chunk before or after it.
"""

from __future__ import annotations

import re

from ...indexer.sentences import sentence_ends
from ...indexer.word_forms import is_dense

SENTENCE = 500
"""Characters of a sentence's other half that are taken along at most."""
LIST = 700
"""Characters of a list's other items."""

_ENDED = re.compile(r"[.!?…:：。！？｡؟।][\"'”’»›)\]}」』）】]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+•‣◦▪●○–—∗✓►]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)])[ \t]+\S|[ \t]*\|")
_BLANK = re.compile(r"\n[ \t]*\n\s*")
_RULE = re.compile(r"^\|[\s:|-]+\|$")
_CODE = re.compile(r"[;{}\\=<>]|^\s{2,}|^[#$%]")
_BULLET = re.compile(r"[ \t]*[-*+•‣◦▪●○–—∗✓►][ \t]+\S")
_IN_LIST = re.compile(r"[ \t]*(?:[-*+•‣◦▪●○–—∗✓►|#]|\d)")
_FEWEST = 3
"""Spaces in the shortest line that announces a list."""
_SHORT = 45
"""Characters of a line that may well be a title or a label."""


def reflow(text: str) -> str:
    """``text`` with its broken lines joined: some files set an empty line after every printed line. A line
    goes on in the next where it does not end a sentence and the next begins with a small letter, or, in
    scripts without any, where it is as long as a printed line."""
    parts = _BLANK.split(text)
    joined = [parts[0]]
    for part in parts[1:]:
        last, first = joined[-1].rpartition("\n")[2].rstrip(), part.partition("\n")[0]
        if _goes_on(last, first):
            between = "" if is_dense(last[-1]) and is_dense(first[0]) else " "
            joined[-1] = f"{joined[-1].rstrip()}{between}{part}"
        else:
            joined.append(part)
    return "\n\n".join(joined)


def with_colons(text: str) -> str:
    """``text`` with a colon where an unended line comes before a list, as in "The pump stops when"."""
    lines = text.split("\n")
    following = ""
    for at in range(len(lines) - 1, -1, -1):
        said = lines[at].rstrip()
        if said and _BULLET.match(following) and _announces(said):
            lines[at] = f"{said}:"
        following = said or following
    return "\n".join(lines)


def _announces(line: str) -> bool:
    if _ENDED.search(line) or _IN_LIST.match(line):
        return False
    return line.count(" ") >= _FEWEST or is_dense(line[-1])


def completed(before: str, text: str, after: str) -> tuple[str, str]:
    """What of the text ``before`` and ``after`` a passage belongs to it; empty where it is whole."""
    return _head(before, text), _tail(text, after)


def _goes_on(last: str, first: str) -> bool:
    if not last or not first or _ENDED.search(last) or _ITEM.match(first) or last.startswith(("|", "#")):
        return False
    if _CODE.search(first) and _CODE.search(last):
        return False
    if len(last) < _SHORT and not is_dense(last[-1]):
        return False
    if is_dense(last[-1]):
        return len(last) >= 20 and is_dense(first[0])
    return first[0].islower() or (first[0] in "(\"'“‘" and first[1:2].islower())


def _head(before: str, text: str) -> str:
    body = text.lstrip()
    if not before.strip() or not body:
        return ""
    if body.startswith("|"):
        return _table_head(before, body)
    last = before.rstrip()
    begun = body[0].islower() and not _ENDED.search(last)
    introduced = _ITEM.match(body) is not None and last.endswith((":", "："))
    if not begun and not introduced:
        return ""
    flowed = reflow(before)
    ends = [0, *sentence_ends(flowed)]
    head = flowed[ends[-2] :].strip()
    return head if len(head) <= SENTENCE and not _CODE.search(head[-1:]) else ""


def _table_head(before: str, body: str) -> str:
    """The names of the columns, for rows that lost theirs."""
    lines = body.split("\n", 2)
    if len(lines) > 1 and _RULE.match(lines[1].strip()):
        return ""
    rows = before.rstrip().split("\n")
    width = lines[0].count("|")
    for at in range(len(rows) - 1, 0, -1):
        if not rows[at].startswith("|"):
            return ""
        if _RULE.match(rows[at].strip()) and rows[at].count("|") == width:
            return "\n".join(rows[at - 1 : at + 1])
    return ""


def _tail(text: str, after: str) -> str:
    body, following = text.rstrip(), after.lstrip("\n")
    if not body or not following.strip():
        return ""
    last = body.rpartition("\n")[2]
    if body.endswith((":", "：")) or _ITEM.match(last):
        return listed(following, body.endswith((":", "：")))
    if _ENDED.search(body) or last.startswith("|"):
        return ""
    broken = "\n\n" if _BLANK.search(text[len(body) :] + after[: len(after) - len(following) + 1]) else "\n"
    own, flowed = reflow(body), reflow(f"{body}{broken}{following}")
    if not flowed.startswith(own) or _BLANK.match(flowed, len(own)):
        return ""  # the next line does not go on with the last
    end = next((end for end in sentence_ends(flowed) if end > len(own)), len(flowed))
    tail = flowed[len(own) : end].strip()
    if not tail or len(tail) > SENTENCE:
        return ""
    return tail if is_dense(own[-1]) and is_dense(tail[0]) else f" {tail}"


def listed(following: str, introduced: bool = True) -> str:
    """The items of a list that ``following`` begins with; where a colon ``introduced`` it, else its first
    paragraph. Empty, or with the line break before it."""
    lines = following.lstrip("\n").split("\n")
    listing = _in_list(lines[0])
    if not listing and not introduced:
        return ""
    taken: list[str] = []
    size = 0
    for line in lines:
        blank = not line.strip()
        ended = blank if not listing else not blank and not _in_list(line) and not "".join(taken[-1:]).strip()
        if ended or size + len(line) > LIST:
            break
        taken.append(line)
        size += len(line)
    block = "\n".join(line for line in taken if line.strip())
    return f"\n{block}" if block else ""


def _in_list(line: str) -> bool:
    return _ITEM.match(line) is not None or line.startswith(("  ", "\t"))

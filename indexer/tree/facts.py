"""Facts that code computes over the members of a branch: how many sections it has, and which.

They are counted, not written, and carry the members that they were counted from; so the check on summaries
(:mod:`.faithful`) does not apply to them. Off unless asked for: titles within summaries put the author's
own headings, and with them the words of many a question, into the index.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

_SECTIONS = {
    "de": "{count} Abschnitte", "en": "{count} sections", "es": "{count} secciones", "fr": "{count} sections",
    "it": "{count} sezioni", "ja": "{count} 節", "ko": "{count}개 절", "nl": "{count} secties",
    "pt": "{count} seções", "ru": "разделов: {count}", "zh": "{count} 节",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Member:
    """A child with a title of the author's: ``id`` of the branch, ``title`` as it stands."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A computed statement, and the ids of the members that it is about."""

    text: str
    members: tuple[str, ...]


def facts(
    members: Sequence[Member], language: str | None, tokens: int, count: Callable[[str], int]
) -> list[Fact]:
    """What code can say of the children of a branch: how many titled sections, and their titles as far as
    ``tokens`` tokens hold them; the number is that of all, and an ellipsis says that titles are missing.

    None for fewer than two titled members, or where not even the number fits.
    """
    titled = [member for member in members if member.title.strip()]
    if len(titled) < 2:
        return []
    head = _SECTIONS.get((language or "en")[:2], _SECTIONS["en"]).format(count=len(titled))
    text = head if count(head) <= tokens else ""
    for shown in range(1, len(titled) + 1):
        listed = "; ".join(" ".join(member.title.split()) for member in titled[:shown])
        longer = f"{head}: {listed}" + ("; …" if shown < len(titled) else "")
        if count(longer) > tokens:
            break
        text = longer
    return [Fact(text, tuple(member.id for member in titled))] if text else []

"""Sentences that point at another section: where they point, and what is left of them without that."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .section_numbers import NUMBER
from .wording import plain

_NAME = (
    r"(?:sections?|sects?\.|secs?\.|chapters?|chaps?\.|appendix|appendices|annex|§§?|"
    r"abschnitt(?:s|en|e)?|abschn\.|kapiteln?s?|kap\.|anhangs?|chapitres?|annexe|secci(?:ón|ones)|"
    r"capítulos?|apartados?|apéndice|sezion[ei]|capitol[oi]|secç?(?:ão|ões)|hoofdstuk(?:ken)?|paragraaf|"
    r"раздел[еау]?|глав[еау]?|附录|付録|부록|項)"
)
_NUMBERED = (
    rf"(?:(?<![A-Za-z]){_NAME}\s*{NUMBER}(?![-A-Za-z0-9_(]|\.\d)|第?\s*\d+(?:\.\d+)*\s*[章节節項]|"
    r"(?<![\w.])(?:[A-Z]\.)?\d+(?:\.\d+)*\s*(?:절|장(?![가-힣]{2}))|[A-Z](?:\.\d+)+\s*[节節])"
)
_TITLE = r"(?:\s*,?\s*(?:\[[^\[\]]{1,80}\]|[“„\"「『][^“”„\"「」『』]{1,80}[”“\"」』]))?"
_PAGE = (
    r"(?:\s*[,，]?\s*(?:on |auf )?(?:pages?|pp?\.|seite|s\.)\s*\d+(?:\s*[-–]\s*\d+)?"
    r"|\s*\((?:page|p\.)\s*\d+\)"
    r"|\s+(?:above|below|weiter unten|weiter oben|oben|unten)(?!\w))?"
)
_ONE = rf"{_NUMBERED}{_TITLE}{_PAGE}"
_ALL = rf"{_ONE}(?:\s*(?:,|、|和|及|と|や|and|or|und|oder|sowie|et|y|및|과|와)\s*{_ONE})*"
_BARE = r"\d{1,2}(?:\.\d{1,3}){1,3}(?![\w.]*\w)"
_END = r"(?=\s*(?:[.。;；,，!?！？:：]|\Z))"
_DETAIL = (
    r"(?:(?:more|further|additional|detailed|full|complete|some|a|the|an|other|in-depth)\s+)*"
    r"(?:information|details?|descriptions?|discussion|explanations?|examples?|instructions|list)"
    r"\s+(?:about|on|of|for|regarding|concerning)\s+"
)
_DONE = (
    r"(?:described|explained|discussed|covered|documented|given|detailed|defined|listed|introduced|shown|"
    r"presented|treated|found|outlined)"
)
_GETAN = r"(?:beschrieben|erläutert|erklärt|behandelt|aufgeführt|dargestellt|erklären|zu finden)"
_SEE = (
    r"(?:please\s+)?(?:see|refer\s+to|consult|read|cf\.|siehe|vgl\.|beachten\s+Sie|lesen\s+Sie|voir|"
    r"consulte[rz]?|véase|vedere|vedi|zie|см\.)(?:\s+(?:also|auch|dazu|hierzu|aussi|también|anche|ook))?"
)
_SEE_WIDE = r"(?:[您你可以也还另请並并]|如果需要)*(?:参见|参考|参阅|参照|详见|查看|阅读|見|见)\s*(?:一下)?"
_REMOVED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # (see Section 4.2), (Abschnitt 4.2), （参见第4章）; also "(see [sort], page 73)" beside them
        rf"\s*[(（](?:[^()（）]|\([^()]*\))*?{_NUMBERED}(?:[^()（）]|\([^()]*\))*[)）]",
        rf"\s*[(（]\s*(?:{_SEE}|{_SEE_WIDE}|참조|cf)[^()（）]*[)）]",
        # See Section 4.2 for details on X.
        rf"\A\s*{_SEE}\s+(?:the\s+)?{_ALL}\s*,?\s*(?:for|about|on)\s+(?:{_DETAIL})?",
        # ..., see Section 4.2.    ...; siehe auch Abschnitt 4.2
        rf"(?:\A|\s*[,;:.–—]|\s[-])\s*{_SEE}\s+(?:in\s+)?(?:the\s+)?{_ALL}{_END}",
        # X is described in Section 4.2.
        rf",?\s+(?:as\s+)?(?:(?:is|are|was|were|will\s+be|can\s+be|may\s+be|has\s+been)\s+)?(?:(?:also|further|fully|"
        rf"briefly)\s+)?{_DONE}(?:\s+(?:in\s+(?:more\s+)?detail|briefly|fully))?\s+in\s+(?:the\s+)?{_ALL}{_END}",
        # X wird in Abschnitt 4.2 beschrieben.    Informationen über X finden Sie in Abschnitt 4.2.
        rf",?\s+(?:(?:wird|werden|ist|sind)\s+)?(?:auch\s+)?in\s+{_ALL}\s+(?:\w+\s+)?{_GETAN}(?:\s+(?:wird|werden|ist))?{_END}",
        rf",?\s+(?:finden\s+Sie|gibt\s+es|erhalten\s+Sie|stehen)\s+(?:\w+\s+)?in\s+{_ALL}{_END}",
        # 另请参见第4章。    ...については項1.1.4を参照下さい。    B.4절을 참고하십시오.
        rf"(?:\A|\s*[，。；：、,;:.])\s*{_SEE_WIDE}\s*{_ALL}(?:\s*(?:以|来)?(?:了解|获取|得到)?(?:更多|详细)?的?(?:信息|细节|内容|说明))?{_END}",
        rf"(?:に?つ(?:い|き)ては|に関しては|の?詳細は|に?は|\A|[、,])\s*、?\s*{_ALL}\s*[をもに]?\s*(?:ご)?(?:参照|参考|覧)[^。、.]{{0,12}}{_END}",
        rf"(?:에\s*대(?:해서는|한)\s*(?:(?:더\s*)?자세한\s*)?(?:(?:내용|정보|설명|사항)은)?|[은는]|\A|,)\s*{_ALL}\s*(?:부분)?[을를도]?\s*(?:참조|참고|보십시오|보시|읽)"
        rf"[^.]{{0,14}}{_END}",
    )
)
_INTRODUCED = re.compile(
    rf"\A(?:please\s+)?(?:for\s+{_DETAIL}|(?:weitere|nähere|detaillierte|zusätzliche|ausführliche|mehr)\s+"
    r"(?:informationen|details|hinweise|einzelheiten)\s+(?:zum|zur|zu|über|für)\s+)",
    re.IGNORECASE,
)
_REFERENCE = re.compile(_ALL, re.IGNORECASE)
_BARE_REFERENCE = re.compile(
    rf"[(（]\s*{_SEE}\s+(?P<numbers>{_BARE}(?:\s*(?:,|and|und)\s*{_BARE})*)\s*[)）]", re.IGNORECASE
)
_ASIDE = re.compile(
    r"\[[^\]]*\]|(?:pages?|pp?\.|seite)\s*\d+(?:\s*[-–]\s*\d+)?|[“„\"「『].*?[”“\"」』]", re.IGNORECASE
)
_A_NUMBER = re.compile(rf"(?<![A-Za-z0-9.]){NUMBER}(?![A-Za-z0-9])")
_OUTSIDE = re.compile(
    r"\s*,?\s*(?:of|from|in|der|des|von|aus|du|del|della)\s+"
    r"(?!this|the present|dieses|diese[rm]|ce |este)[\w„“\"]"
    r"|\s*的?《",
    re.IGNORECASE,
)
_TIDY = (
    (re.compile(r"\s+([,.;:!?)），。；：])"), r"\1"),
    (re.compile(r"[\s,;:，；：、–—]+([.。!?！？]?)\Z"), r"\1"),
    (re.compile(r"\A(?:[\s,;:，；、.。•·*–—-]+|\(?\d{1,2}[.)、])+"), ""),
)
_DANGLING = re.compile(
    r"(?:\b(?:e\.g|i\.e|z\.\s?B|d\.\s?h|which|that|as|at|in|on|by|to|of|for|from|with|and|or|but|the|an?|is|are|also|"
    r"wie|und|oder|unter|bei|in|an|auf|zu|von|mit|der|die|das|den|dem|ist|sind|wird|werden|auch|"
    r"et|ou|de|dans|y|en|con|e|di|в|на|и)|[是在和与的为如以对从])[\s.。]*\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Pointing:
    """What a sentence says without its references, and the numbers of the sections that it points at."""

    said: str
    numbers: tuple[str, ...]


def may_point(text: str) -> bool:
    """Whether there is anything in ``text`` that looks like a reference."""
    return _REFERENCE.search(text) is not None or _BARE_REFERENCE.search(text) is not None


def pointing(sentence: str) -> Pointing | None:
    """What ``sentence`` says and where it points; None where it points nowhere, out of the document, or
    where the reference is a part of what it says ("Section 4.2 shows ...")."""
    text = plain(sentence)
    found = [match[0] for match in _REFERENCE.finditer(text)]
    if any(_OUTSIDE.match(text, match.end()) for match in _REFERENCE.finditer(text)):
        return None
    bare = [match["numbers"] for match in _BARE_REFERENCE.finditer(text)]
    numbers = [number for each in (*found, *bare) for number in _A_NUMBER.findall(_ASIDE.sub("", each))]
    if not numbers:
        return None
    said = text
    for pattern in _REMOVED:
        said = pattern.sub("", said)
    if said == text or _REFERENCE.search(said):
        return None
    said = _INTRODUCED.sub("", said.strip())
    for mark, kept in _TIDY:
        said = mark.sub(kept, said)
    if _DANGLING.search(said):
        return None
    return Pointing(said.strip(), tuple(dict.fromkeys(numbers)))

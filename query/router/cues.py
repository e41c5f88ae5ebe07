"""The words by which a question says what kind of answer it wants, in the languages that manuals come in.

Words of scripts with spaces count whole, in any case; those of Chinese, Japanese and Korean wherever they
stand, since nothing parts them there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

Cue = Literal["whole", "link", "compare", "count", "list", "asking", "nested"]

_SPACED: Mapping[Cue, str] = {
    "whole": r"""
        overviews?|summar(?:y|i[sz]e|ies)|outlines?|in general|as a whole|the big picture|tell me about
        |(?:everything|all) (?:about|on|there is to)|main (?:points?|topics?|ideas?|themes?|parts?)
        |what (?:do|does|is|are) (?:the |this |these )?(?:chapters?|sections?|parts?|manuals?|books?|guides?
            |documents?|appendix)\b.{0,80}?\b(?:about|covers?|covering|says?|contains?|deals? with
        |describes?
            |explains?)
        |what is (?:covered|described|explained|discussed) (?:in|by)|(?:chapters?|sections?) on
        |überblick|übersicht|zusammenfass\w*|fass\w* .{1,80} zusammen|worum geht es|wovon handelt
        |alles (?:über|zu)
        |was (?:steht|behandelt) .{0,30}(?:kapitel|abschnitt|handbuch)|hauptthemen|im allgemeinen
        |aperçu|résum\w+|vue d['’]ensemble|de quoi (?:parle|traite)|en général
        |resumen|resum\w+|visión general|panorama|de qué trata|en general
        |panoramica|riassunto|riassum\w+|di cosa (?:parla|tratta)|in generale
        |visão geral|resumo|do que trata|overzicht|samenvatt\w+|waar gaat .{1,40} over
        |обзор\w*|кратк\w+ содержан\w+|о чём|о чем""",
    "link": r"""
        (?:relation|relationship|connection|link|dependenc[yi]\w*|interaction)s? (?:between|of|with|to)
        |(?:related|connected|linked) to|depends? on|interacts? with|(?:affects?|influences?)
        |have in common|in common with|path from|leads? to
        |zusammenhang|zusammenhäng\w+|beziehung\w* zwischen|verbindung\w* zwischen|beeinflusst
        |hängt .{1,60} (?:ab|zusammen)
        |relations? entre|liens? entre|dépend de|relación entre|depende de|relazione tra|dipende da
        |relação entre|verband tussen|связь между|связаны?""",
    "compare": r"""
        differences?|differs?|different from|compar(?:e[ds]?|ing|isons?)|versus|vs\.?|similarit(?:y|ies)
        |better than
        |unterschied\w*|unterscheide\w*|vergleich\w*|gegenüber|différences?|comparer|comparaison
        |par rapport à
        |diferencias?|compara\w*|comparación|differenz[ae]|confront\w+|diferenças?|verschil\w*|vergelijk\w*
        |разниц\w+|отлича\w+|сравн\w+""",
    "count": r"""
        how many|(?:what is |what's )?the (?:total )?number of|count of|count (?:all|the)
        |wie ?viele?|(?:die )?anzahl|combien d\w*|le nombre d\w*|cuánt[oa]s|el número de|quant[ie]
        |il numero di
        |quant[oa]s|o número de|hoeveel|het aantal|сколько|количество""",
    "list": r"""
        list|lists? of|enumerate|name (?:all|every|the)|which (?:\w+ ){1,3}(?:are|exist)(?: there)?
        |what (?:\w+ ){1,3}are there|(?:what|which) are (?:all )?the|(?:all|every) (?:the |of the )?\w+
        |liste\w*|zähle? .{1,80} auf|nenne|alle|welche (?:\w+ ){1,2}gibt es
        |énumér\w+|tou(?:s|tes) les|quels sont|quelles sont|lista\w*|enumera\w*|tod[oa]s l[oa]s|cuáles son
        |elenc\w+|tutt[ie] [gl]?[ile]|quali sono|tod[oa]s [oa]s|quais são|alle|welke .{1,40} zijn er
        |перечисл\w+|все|какие""",
    "asking": r"""
        what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|may|must
        |should|will
        |would|has|have|had|according|explain|describe|show|give|find|name|list
        |was|welche[mnrs]?|wer|wen|wem|wessen|wann|wo|warum|wieso|wie|woher|wohin|womit|wofür|ist|sind
        |kann|können|muss
        |darf|soll|wird|hat|haben|erklär\w*|beschreib\w*
        |que|quoi|quel\w*|qui|quand|où|pourquoi|comment|combien|est-ce|peut|faut
        |qué|cuál\w*|quién\w*|cuándo|dónde|cómo|cuánt\w+|puede|debe|che|cosa|quale|quali|chi|quando|dove
        |perché|come|quant\w+
        |qual|quais|quem|onde|por que|porque|como|wat|welke?|wanneer|waar|waarom|hoe
        |что|как\w*|кто|когда|где|почему|зачем|сколько|можно""",
    "nested": r"""
        of|whose|who|that|where|which|\w+['’]s|des|der|dessen|deren|du|de|del|della|di|do|da|van|de la""",
}
_DENSE: Mapping[Cue, str] = {
    "whole": "概述|总结|總結|概要|概览|概覽|综述|綜述|概况|整体|全面介绍|讲了什么|讲什么|主要内容"
    "|主要讲|介绍一下|简介|まとめ|要約|全体像|全般|あらまし|について(?:説明|教えて|知りたい)"
    "|何が書|개요|요약|전반|전체적|개괄|주요 내용|무엇을 다루|대해 (?:설명|알려)",
    "link": "关系|關係|联系|影响|影響|依赖|依存|関係|関連|つなが|관계|연관|영향|의존|연결",
    "compare": "区别|區別|差别|差異|差异|比较|比較|对比|不同|違い|相違|차이|비교|다른 점|다른점",
    "count": "多少[个個种種条條台项項页頁]?|几[个种类条台项章]|幾[個種類]|数量|個数|总数|いくつ"
    "|何[個種台本件章人]|の数|몇|개수|갯수|총 수",
    "list": "列出|列举|列舉|有哪些|哪些|所有|全部|清单|すべて|全て|一覧|列挙|ものを挙げ|모두|목록"
    "|나열|열거|모든|전부",
    "asking": "什么|什麼|哪|谁|誰|何|几|多少|如何|怎么|怎麼|怎样|吗|嗎|呢|是否|为什么|為什麼|请|どの"
    "|どう|どこ|いつ|なぜ|どれ|どんな|です(?:か)?|ますか|でしょうか|くだ|무엇|무슨|뭐|어떤"
    "|어떻게|어느|어디|언제|누[가구]|왜|몇|얼마|니까|나요|까요|세요|습니다|인가|은가|는가",
    "nested": "的|の|의 ",
}


def _compiled(cue: Cue) -> re.Pattern[str]:
    spaced = re.sub(r"\n\s*", "", _SPACED[cue].strip())
    return re.compile(rf"(?<!\w)(?:{spaced})(?!\w)|(?:{_DENSE[cue]})", re.IGNORECASE)


CUES: Mapping[Cue, re.Pattern[str]] = {cue: _compiled(cue) for cue in _SPACED}
"""By what it asks for, the pattern of the words that ask for it."""

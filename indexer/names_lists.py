"""Words that tell a name from a word that merely begins with a capital letter."""

from __future__ import annotations

from functools import cache

from .word_forms import primary


def word_set(words: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(words.split())


_OPENERS = {
    "en": """ a about above according across actually after afterwards again against all almost along
        already also although always am among an and another any anyone anything apart are around as aside
        assume at avoid be because been before being below beside besides between beyond both briefly but by
        call can cannot check choose click common compare conversely consider contrary copy could create
        currently default define delete depending despite did directly do does don't double down due during
        each earlier edit either else enable enter especially even eventually every everyone everything except
        execute few fewer finally find following for formerly fortunately frequently from further furthermore
        generally get give given go had has have having he hence her here hers him his historically how
        however i if ignore in include including indeed initially insert install instead into invoke is it its
        itself just keep last later lately less let like likely likewise make many may maybe meanwhile might
        more moreover most mostly much must my near nearly neither never nevertheless next no none nor
        normally not note nothing notice now obviously occasionally of off often on once one only onto open
        opposite optionally or originally other others otherwise our out outside over overall part partly per
        perhaps please possibly presently press previously prior probably provided put quite rather read
        recently refer regarding remember remove respectively return run same save saw see select set several
        shall she should show similarly simply since so some someone something sometimes soon specifically
        specify start still subsequently such suppose surely take than that the their them themselves then
        there thereafter therefore these they this those though three through throughout thus to today
        together too toward towards try turn two type typically ultimately under unfortunately unless unlike
        until up upon us use using usually verify versus very via view wait was we well were what whatever
        when whenever where whereas wherever whether which while who whoever whom whose why will with within
        without would write yes yet you your""",
    "de": """ ab aber alle allem allen aller allerdings alles als also am an andere anderen anschließend
        auch auf aufgrund aus außer außerdem bei beide beim beispielsweise bereits besonders bevor bis bitte
        da dabei dadurch dafür dagegen daher damals damit danach dann daran darauf daraus darin darum darunter
        das dass davon davor dazu dem den denen denn dennoch der deren derzeit des deshalb dessen die dies
        diese diesem diesen dieser dieses dort du durch ein eine einem einen einer eines einige er erst es
        etwa falls ferner für ganz gegen gemäß genau gibt hat hier hierbei hierfür hierzu hinter ich ihm ihn
        ihnen ihr ihre ihrem ihren ihrer im in indem infolge innerhalb insbesondere ist ja je jede jedem jeden
        jeder jedes jedoch jene jetzt kann kein keine können laut man manche mehr mehrere mein meist mit nach
        nachdem neben nicht nichts noch nun nur ob oberhalb obwohl oder oft ohne schließlich sehr sein seine
        seinem seinen seiner seit seitdem selbst sie siehe sind so sobald sofern sogar solange solche somit
        sondern sonst sowie sowohl später statt trotz trotzdem über um und uns unser unter viele vom von vor
        wählen während war was weder wegen weil weiter weitere weiterhin welche welcher welches wenn wer
        werden weshalb wie wieder wir wird wo wobei wofür woher wohin womit wurde wurden zu zudem zuerst
        zuletzt zum zunächst zur zusätzlich zuvor zwar zwei zwischen""",
    "fr": """ à afin ainsi alors après au aucun aucune aujourd'hui auparavant aussi aux avant avec c car
        ce ceci cela celle celui cependant certains ces cet cette ceux chaque chez comme comment d dans de
        depuis dernier des deux dès donc dont du durant elle elles en encore enfin ensuite entre est et être
        grâce il ils j je jusque l la le les leur leurs lors lorsque ma mais malgré même mes moins mon n ni
        non nos notre nous on or où ou outre par parce parfois parmi pendant peu plus plusieurs pour pourquoi
        pourtant près presque puis puisque qu quand que quel quelle quelques qui quoi quoique s sa sans sauf
        se selon ses si soit son sous souvent sur ta tandis tous tout toute toutefois toutes très un une vers
        voici vos votre vous y""",
    "es": """ a además ahora al algunas algunos ante antes así aun aunque bajo cada casi como con contra
        cual cuando cuya cuyo de debido del desde después donde dos durante e el él ella ellos en entonces
        entre es esa ese eso esta está estas este esto estos fue hacia hasta hay incluso la las le les lo los
        luego más mediante mi mientras mucho muchos muy ni no nos nosotros o otra otro otros para pero por
        porque pues que qué quien se según ser si sí sin sino sobre son su sus también tampoco tan todo todos
        tras tu un una unas uno unos y ya yo""",
    "it": """ a ad ai al alla alle allo anche ancora che chi ci col come con così cui da dal dalla dei del
        della delle di dopo dove due durante e ed essa essi esso fra gli ha i il in infatti inoltre io la le
        lo loro ma mentre nei nel nella nelle noi non o ogni oppure per perché però più poi prima qual quale
        quando quella quello questa queste questi questo se secondo senza si sono sotto su sua sue sul sulla
        suo tra tutti tutto un una uno""",
    "pt": """ a ao aos antes após apesar as até cada com como da das de depois do dos durante e é ela ele
        eles em embora enquanto entre era essa esse esta este foi isso já la lhe mais mas mesmo na nas no nos
        o onde os ou outra outro para pela pelo pois por porém porque quando que quem se segundo sem seu sob
        sobre sua também todo todos um uma""",
    "nl": """ aan al alle als andere bij daar daarna dan dat de deze die dit door dus een en er ook haar
        hij hoe hun ik in is je maar men met mijn na naar niet nog nu of om omdat onder ook op over sinds te
        tegen terwijl toen tot tussen uit van veel volgens voor waar wanneer want was wat we welke wie wij zij
        ze zijn zo zonder""",
    "ru": """ а без бы был была были в во вот вы где да для до его ее если есть еще же за здесь и из или
        им их к как когда который ли между мы на над не нет но о об он она они от по под после потом при с сам
        со так также там то тогда того тоже только том у уже чем что чтобы эта эти это этот я""",
}  # fmt: skip
CALENDAR = word_set(
    """january february march april may june july august september october november december jan feb mar
    apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue
    wed thu fri sat sun januar februar märz mai juni juli oktober dezember montag dienstag mittwoch
    donnerstag freitag samstag sonntag janvier février mars avril juin juillet août septembre octobre
    novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre
    diciembre"""
)
"""Months and days: capitalised, and part of a date rather than names."""

GENERIC = word_set(
    """abstract acknowledgements acknowledgments alias aliases alternative alternatives appendix argument
    arguments article author authors background bibliography bug bugs caution chapter class column command
    commands comment comments conclusion conclusions contents copyright danger data date default defaults
    definition definitions description details diagnostics discussion edition eq equation error errors
    example examples exercise exercises fig figs figure figures file files footnote foreword format
    function functions general glossary hint hints history important index info input installation
    introduction item items key keyword keywords label legend license line list listing method methods
    miscellaneous motivation name names note notes number numbers object option options output overview
    page pages parameter parameters part preface prerequisites problem procedure program programs purpose
    question questions reading reference references related remark remarks requirements result results
    return returns row rows sec section sections see signature sources status step steps string structure
    subsection summary synopsis syntax system table tables text tip tips title todo topic topics true
    false type types unit units usage use user users value values variable variables version versions
    volume warning warnings chapt documentation detailed macro macros typedef enumeration field fields
    form forms direction limits note: programming remarks inf author(s) seealso see-also also abbildung
    abschnitt achtung anhang anmerkung anmerkungen aufgabe beispiel beispiele beschreibung datei
    einführung einleitung hinweis hinweise inhalt inhaltsverzeichnis kapitel nr parameter seite tabelle
    tipp überblick übersicht verwendung vorwort warnung zusammenfassung annexe chapitre exemple exemples
    introducción remarque résumé tableau apéndice capítulo ejemplo ejemplos figura nota tabla sección"""
)
"""Titles of parts and words of layout: alone they say nothing of what a text is about."""


def is_generic(name: str) -> bool:
    """Whether all words of a name are such words: "Function Documentation", "Data Type"."""
    words = name.casefold().split()
    return bool(words) and all(word.strip(".:,()") in GENERIC or word in CONNECTORS for word in words)


GENERIC_DENSE = word_set(
    """はじめに 序文 概要 目次 参照 関連項目 例 使用例 注意 注記 備考 付録 索引 説明 用語集 参考文献
    まとめ 図 表 章 節 前言 概述 目录 简介 介绍 引言 附录 索引 示例 例子 注意 说明 参考 参考文献 小结 总结
    术语表 表格 图 目的 用法 개요 소개 머리말 목차 부록 예제 예시 참고 주의 설명 용어집 요약 들어가며 서문"""
)

SHOUTED = word_set(
    """not and or the must shall should may none null nil true false na nan inf todo note notes warning
    caution important danger tip if else then end for while do return is are be this that with ok yes no
    any all new old off on set get put an at by in of to as it we you your see list ce bce bc ad am pm"""
)
"""Words that are written in capitals for stress, or because they are keywords."""

CONNECTORS = word_set(
    """of the de del della dei di da do dos das du des la le les los las el al van von der den dem zu zur
    zum am bei ter ten af av bin ibn ben upon"""
)
"""Small words inside names: University of Oxford, Ludwig van Beethoven, Rio de Janeiro."""

BODIES = word_set(
    """academy agency alliance association award awards bureau campaign center centers centre coalition
    college commission committee conference council department foundation fund institute institution
    laboratory league ministry office organisation organization prize program programme school secretary
    society trust union"""
)
"""After these a name goes on over "for" and "and": Center for Disease Control."""

TITLES = word_set("""dr mr mrs ms prof st sr jr mt ft gen col capt lt sgt rev hon pres gov sen rep bros""")
"""Abbreviations whose full stop does not end a name: St. Louis."""

ROMAN = word_set("""II III IV VI VII VIII IX XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI XXII XXIII XL LI""")


@cache
def openers(language: str | None) -> frozenset[str]:
    """Case-folded words that open sentences and are no part of the name after them; of all languages that
    have a list where it is unknown or has none."""
    code = primary(language) if language else ""
    if code not in _OPENERS:
        return frozenset(word for words in _OPENERS.values() for word in words.split())
    return frozenset((_OPENERS["en"] + " " + _OPENERS[code]).split())

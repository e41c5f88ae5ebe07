"""Words that say nothing of what a text is about: too plain to be named as its key terms."""

from __future__ import annotations

from functools import cache

from ..word_forms import primary

_LISTS = {
    "en": """a about above according actual actually add added additional after again all allow allowed
        allows almost already also although always among an and another any appear appears appropriate are
        around as at available avoid back based be because become been before being below best better
        between both but by call called calls can cannot case cases certain change changed changes choose
        chosen come common complete contain containing contains correct could create created current
        currently default define defined depending describe described description desired details
        determine determined did different directly do does doing done down due during each easily easy
        either else enough etc even every exactly example examples except few final find first follow
        following follows for form found from full further general generally get give given gives go going
        good greater had handle has have having hence here high his how however i if important in include
        included includes including indicate indicated indicates information instead into is it items its
        itself just keep kind know known large larger last later least left less let like likely list
        listed little ll long longer look lot low made main make makes making many may means might more
        most much must name named need needed needs never new next no non none nor normal normally not
        note nothing now number of off often ok old on once one only onto optional or order other others
        otherwise our out over own page part particular parts per perform performed performs place please
        point possible present previous print prints probably produce produces provide provided provides
        purpose put rather really refer reference related remain require required requires respectively
        rest result results return returned returns right run running s same say second section see seen
        select selected separate set sets several shall should show shown shows similar similarly simple
        simply since single size small smaller so some something sometimes specific specified specify
        start starting still such sure t table take taken takes tell than that the their them then there
        therefore these they thing things this those three through thus time times to together too top
        true try turn two type types typically under unless until up upon us usage use used useful user
        uses using usual usually value values various ve version very via want wants was way ways we well
        were what when where whether which while who whole whose why wide will with within without work
        works would write written yes yet you your""",
    "de": """ab aber alle allem allen aller allerdings alles als also am an andere anderen anderer anderes
        anhand ansonsten auch auf aus außerdem bei beide beiden beim beispiel beispielsweise bereits
        bestimmte bestimmten bevor bin bis bitte bzw da dabei dadurch dafür dagegen daher damit danach
        dann daran darauf daraus darf darin das dass davon dazu dem den denen denn dennoch der deren des
        dessen die dies diese diesem diesen dieser dieses direkt doch dort durch dürfen ebenfalls eigene
        eigenen ein eine einem einen einer eines einfach einige einigen entsprechend entsprechende
        entsprechenden er erst es etwa etwas eventuell falls finden folgende folgenden für ganz geben
        gegebenenfalls gegen genau gibt haben hat hier hierbei hierfür hinweis ich ihr ihre ihrem ihren
        ihrer im immer in innerhalb ins ist ja je jede jedem jeden jeder jedes jedoch kann kein keine
        keinen können könnte könnten lassen lesen machen man mehr mehrere meist mit möchten möglich müssen
        muss nach nachdem neue neuen nicht nichts noch normalerweise nun nur nutzen ob oder ohne sehen
        sehr sein seine seinem seinen seiner seit selbst sich sie siehe sind so sobald sofern solche
        solchen soll sollen sollte sollten somit sondern sonst sowie stehen steht über um und uns unter
        verschiedene verschiedenen verwenden verwendet verwendung viele vom von vor wäre war was weil
        weiter weitere weiteren welche welchen wenn wer werden wichtig wie wieder wird wo wobei wurde
        wurden zu zudem zum zur zusätzliche zwei zwischen zunächst""",
    "fr": """à afin ainsi alors après au aucun aucune aussi autre autres aux avant avec avez avoir car ce
        cela celle celui ces cet cette chaque comme comment dans de depuis des deux dire doit doivent donc
        dont du elle elles en encore entre est et être exemple fait faire faut il ils je la le les leur
        leurs lors lorsque mais même moins ne non nos notre nous on ont ou où par pas permet peut peuvent
        plus plusieurs pour pouvez puis qu quand que quel quelle qui quoi s sa sans se selon sera ses si
        soit son sont sous sur tous tout toute toutes très un une utiliser utilisé utilisée valeur vers
        voir vos votre vous y""",
    "es": """a al algo algún alguna algunas algunos antes así aunque cada caso como con cual cuando cuyo
        de debe deben del desde donde dos durante e el ella ellos en entre era es esa ese eso esta estas
        este estos está están fue ha hace hacer hacia han hasta hay la las le les lo los más mediante
        mismo muy no nos o otra otras otro otros para pero por porque puede pueden que qué se según ser
        será si sin sobre solo son su sus también tiene tienen toda todas todo todos tras un una uno unos
        usar valor y ya""",
    "it": """a ad ai al alla alle altra altre altri altro anche ancora ma che chi ci come con cosa così
        cui da dal dalla dalle degli dei del della delle deve di dopo dove due e ed essere fra gli ha
        hanno i il in io la le lo loro mediante molto ne nei nel nella nelle no non o ogni oppure per
        perché più poi possono prima può qualche quando quello questa queste questi questo se sempre senza
        si sia solo sono su sua sue sul sulla tra tutti tutto un una uno valore viene""",
    "pt": """a ao aos apenas as até cada caso com como da das de deve dois do dos e é ela ele eles em
        entre era essa esse esta este foi há isso já mais mas mesmo muito na nas não no nos o onde os ou
        outra outro para pela pelo pode podem por porque quando que se sem ser seu sua são sobre também
        tem ter todos um uma valor""",
    "nl": """aan al alle als andere bij dan dat de deze die dit door dus een en er geen gebruik gebruikt
        gebruiken haar heeft het hier hij hoe ik in is je kan kunnen maar meer met moet moeten na naar
        niet nog of om onder ook op over te tot u uit uw van veel voor waar wanneer wat we welke werd
        wordt worden zal ze zich zijn zoals zonder zijn""",
    "ru": """а без более бы был была было были быть в вам вас ваш вы в где да для до его ее если есть еще
        же за и из или им их к как какой когда которая которые который ли либо между можно мы на над не
        него нет но о об один однако он она они оно от по под после при с свой себя так также такой там то
        того только том тот у уже чем что чтобы эта эти это этого этот""",
}  # fmt: skip
_HAN = frozenset(
    "的了在是和与及或为以不有这该其等将可会对从到被把也就都而但所之您你我他它们个一些此中上下时后前用使能要需请"
    "如果则并且于由于过很更最已经没什么怎样哪里着地得"
)
_PLAIN_KANJI = """
    以下 以上 以外 上記 下記 次項 場合 時点 必要 可能 使用 利用 提供 実行 指定 参照 参照下 説明 存在 変更
    追加 表示 設定可能 一般 通常 特定 他方 一方 同様 同時 全体 自分 自身 方法 場所 現在 最新 最初
    最後 多数 複数 一部 各種 対応 関連 問題 注意 例示 内容 目的 理由 結果 結局 普通 簡単 適切 重要
    有用 便利 非常 完全 直接 今後 今日"""
_KANJI = frozenset(_PLAIN_KANJI.split())
_PARTICLES = (
    "에서는", "으로는", "에서", "으로", "까지", "부터", "에게", "이나", "입니다", "합니다", "하는",
    "은", "는", "이", "가", "을", "를", "의", "에", "도", "로", "와", "과",
)  # fmt: skip


@cache
def plain_words(language: str | None) -> frozenset[str]:
    """The case-folded plain words of a language and of English, which is quoted everywhere; of all
    languages that have a list where it is unknown."""
    code = primary(language) if language else None
    lists = _LISTS.values() if code is None else (_LISTS["en"], _LISTS.get(code, ""))
    return frozenset(word for words in lists for word in words.split())


def is_plain_han(term: str) -> bool:
    """Whether a run of Han characters begins or ends with one that only holds a Chinese sentence together."""
    return term[0] in _HAN or term[-1] in _HAN


def is_plain_kanji(word: str) -> bool:
    """Whether a Japanese word of kanji is too plain to be named."""
    return word in _KANJI


def without_particle(word: str) -> str:
    """A Korean word without the particle at its end, where two syllables are left."""
    for particle in _PARTICLES:
        if word.endswith(particle) and len(word) - len(particle) >= 2:
            return word.removesuffix(particle)
    return word


@cache
def function_words() -> dict[str, frozenset[str]]:
    """The plain words of each language that has a list, by its code."""
    return {code: frozenset(words.split()) for code, words in _LISTS.items()}

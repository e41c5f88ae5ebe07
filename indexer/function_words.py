"""The words that a question is built with and that say nothing of what it is about.

A passage of a manual seldom says "what", "which" or "does": rarity would make them a question's heaviest
words. So questions leave them out; passages keep them, for phrases.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .word_forms import primary

_LISTS = {
    "en": """a an and are as at be been being by can could did do does for from had has have how i in into is
        it its me my of on or our should that the there these this those to was we were what when where which
        who whom whose why will with would you your""",
    "de": """aber als am an auf aus bei beim bin da das dass dem den der des die dies diese diesem diesen
        dieser dieses durch ein eine einem einen einer eines er es für hat haben ich ihr im in ist kann können
        man mein mit nach oder sein sich sie sind so um und vom von war waren warum was welche welchem welchen
        welcher welches wenn wer wen wem werden wie wieso wird wo wofür woher womit worden wozu wurde wurden
        zu zum zur über""",
    "fr": """à au aux avec ce ces cet cette comment combien dans de des du elle elles en est et être il ils je
        la le les leur lequel laquelle lesquels lesquelles ma mes mon ne nous ou où par pas peut pour pourquoi
        qu quand que quel quelle quelles quels qui quoi sa se ses son sont sur un une vous y""",
    "es": """a al como cómo con cual cuál cuáles cuando cuándo cuanto cuánto cuántos de del dónde donde el
        ella ellos en es esta este está están ha hay la las lo los mi o para por porque puede que qué quién
        quienes quiénes se ser si son su sus un una unos y""",
    "it": """a ai al alla alle che chi ci come con cosa da dal dalla dei del della delle di dove e è gli ha ho
        i il in io la le lo ma mi nei nel nella o per perché può qual quale quali quando quanto quanti questo
        questa se si sono su sul sulla un una uno""",
    "pt": """a ao aos as com como da das de do dos e é ela ele em esta este eu há na nas no nos o onde os ou
        para pela pelo por porque pode qual quais quando quanto quantos que quem se ser seu sua são um uma""",
    "nl": """aan als bij dat de deze die dit door een en er het hij hoe hoeveel ik in is je kan kunnen met
        mijn moet na naar of om op te tot uit van voor waar waarom waarmee wanneer was wat we welk welke wie
        wordt worden ze zijn""",
    "ru": """а в во где для до его ее её если и из или их к как какая какие какой каков кем ко когда кто
        куда ли на над не о об он она они от по почему при с сколько со так то у чем что чтобы это я""",
}
_WORDS = {language: frozenset(words.split()) for language, words in _LISTS.items()}
FUNCTION_WORDS = frozenset().union(*_WORDS.values())
"""Those of all languages together."""

LANGUAGES = tuple(_WORDS)
"""Those whose function words are known."""


def content_words(tokens: Sequence[str], languages: Iterable[str]) -> list[str]:
    """The tokens of a question without the function words of its language; all of them if none is left.

    Its language is the one of ``languages`` (English where none of them has a list) whose function words
    it holds most of. A word in capitals is a name: "IT", "WHO".
    """
    known = [code for code in dict.fromkeys(map(primary, languages)) if code in _WORDS] or ["en"]
    folded = [token.casefold() for token in tokens]
    language = max(known, key=lambda code: sum(word in _WORDS[code] for word in folded))
    shouted = all(token.upper() == token for token in tokens)
    kept = [
        token
        for token, word in zip(tokens, folded, strict=True)
        if word not in _WORDS[language] or (len(token) > 1 and token.isupper() and not shouted)
    ]
    return kept or list(tokens)

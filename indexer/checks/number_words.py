"""Numbers that are spelled out."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache

from ..word_forms import primary

_ROWS = {
    "en": """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
        sixteen seventeen eighteen nineteen twenty""",
    "de": """null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn
        fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig""",
    "fr": """zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize
        dix-sept dix-huit dix-neuf vingt""",
    "es": """cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince
        dieciséis diecisiete dieciocho diecinueve veinte""",
    "it": """zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici
        quindici sedici diciassette diciotto diciannove venti""",
    "pt": """zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze
        dezesseis dezessete dezoito dezenove vinte""",
    "nl": """nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien
        zestien zeventien achttien negentien twintig""",
    "ru": """ноль один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать
        тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать двадцать""",
}
_TENS = {
    "en": """thirty forty fifty sixty seventy eighty ninety""",
    "de": """dreißig vierzig fünfzig sechzig siebzig achtzig neunzig""",
    "fr": """trente quarante cinquante soixante soixante-dix quatre-vingts quatre-vingt-dix""",
    "es": """treinta cuarenta cincuenta sesenta setenta ochenta noventa""",
    "it": """trenta quaranta cinquanta sessanta settanta ottanta novanta""",
    "pt": """trinta quarenta cinquenta sessenta setenta oitenta noventa""",
    "nl": """dertig veertig vijftig zestig zeventig tachtig negentig""",
    "ru": """тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто""",
}
_SCALES = {
    100: "hundred hundert cien ciento honderd сто 百",
    1_000: "thousand tausend mille mil mila duizend тысяча тысячи тысяч 千 천",
    10_000: "万 萬 만",
    1_000_000: """million millions millionen million(en) millón millones milione milioni milhão milhões
        miljoen миллион миллиона миллионов""",
    100_000_000: "亿 億 억",
    1_000_000_000: """billion billions milliarde milliarden milliard milliards miliardo miliardi миллиард
        миллиарда""",
}
SCALES = {word: Decimal(value) for value, words in _SCALES.items() for word in words.split()}
"""What a number before these words is multiplied by."""

_TEN = 10
_ARTICLE = 1
"""One is left out: in most languages it is an article as well."""
_COMPOUND = re.compile(r"^(\w+)[-\u2010\u2011](\w+)$")

HAN = "〇零一二两三四五六七八九十百千兩"
"""The characters that Han numbers are written with."""
_DIGITS = dict(zip("〇零一二两三四五六七八九兩", [0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 2], strict=True))
_STEPS = {"十": 10, "百": 100, "千": 1_000}


@cache
def _words(language: str | None) -> dict[str, int]:
    """The number words of a language, of English where it is unknown or has no row here."""
    code = primary(language) if language else "en"
    row, tens = _ROWS.get(code, _ROWS["en"]).split(), _TENS.get(code, _TENS["en"]).split()
    small = {word: value for value, word in enumerate(row) if value != _ARTICLE}
    return small | {word: _TEN * (n + 3) for n, word in enumerate(tens)}


def spelled(word: str, language: str | None) -> Decimal | None:
    """The value of a number word, as ``three`` or ``twenty-four``; None for any other word."""
    known = _words(language)
    word = word.casefold()
    value = known.get(word)
    if value is None and (parts := _COMPOUND.match(word)):
        tens, ones = known.get(parts[1], 0), known.get(parts[2], _ARTICLE if parts[2] == "one" else _TEN)
        if tens >= 2 * _TEN and ones < _TEN:
            value = tens + ones
    return None if value is None else Decimal(value)


def han_number(run: str) -> Decimal:
    """The value of a number in Han characters, as 二十四 or 二〇二四."""
    if not any(c in _STEPS for c in run):
        return Decimal("".join(str(_DIGITS[c]) for c in run))
    total, digit = 0, 0
    for c in run:
        if c in _STEPS:
            total += (digit or 1) * _STEPS[c]
            digit = 0
        else:
            digit = _DIGITS[c]
    return Decimal(total + digit)

"""Units of measure as documents write them, each with its dimension and its factor in it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal

_PREFIXES = {
    "p": "1e-12", "n": "1e-9", "µ": "1e-6", "u": "1e-6", "m": "1e-3", "c": "1e-2", "d": "1e-1", "h": "1e2",
    "k": "1e3", "K": "1e3", "M": "1e6", "G": "1e9", "T": "1e12",
    "Ki": "1024", "Mi": "1048576", "Gi": "1073741824", "Ti": "1099511627776",
}  # fmt: skip
# symbol: (dimension, prefixes that it is written with)
_SYMBOLS = {
    "V": ("volt", "µumkM"), "A": ("ampere", "pnµumkK"), "W": ("watt", "µumkMG"),
    "VA": ("voltampere", "kM"), "Wh": ("watthour", "mkMG"), "Ah": ("amperehour", "m"),
    "Hz": ("hertz", "mkKMGT"), "s": ("second", "pnµum"), "m": ("metre", "nµumcdk"),
    "g": ("gram", "µumk"), "t": ("tonne", ""), "l": ("litre", "mcd"), "L": ("litre", "mcd"),
    "N": ("newton", "mkM"), "Nm": ("newtonmetre", "mk"), "J": ("joule", "mkMG"),
    "Pa": ("pascal", "hkM"), "bar": ("bar", "m"), "psi": ("psi", ""), "K": ("kelvin", ""),
    "F": ("farad", "pnµum"), "H": ("henry", "nµum"), "Ω": ("ohm", "mkMG"), "ohm": ("ohm", "mkM"),
    "dB": ("decibel", ""), "dBm": ("decibelmilliwatt", ""), "dBi": ("decibelisotropic", ""),
    "bit": ("bit", "kMG"), "bits": ("bit", "kMG"), "b": ("bit", "kMG"),
    "B": ("byte", ("k", "K", "M", "G", "T", "Ki", "Mi", "Gi", "Ti")), "bps": ("bit/second", "kKMG"),
    "bit/s": ("bit/second", "kMG"), "b/s": ("bit/second", "kMG"),
    "B/s": ("byte/second", ("k", "K", "M", "G", "Ki", "Mi", "Gi")), "baud": ("baud", "k"),
    "Bd": ("baud", "k"), "lx": ("lux", "k"), "lm": ("lumen", ""), "cd": ("candela", "m"),
    "mol": ("mole", "m"), "T": ("tesla", "mµ"), "eV": ("electronvolt", "kMG"), "S": ("siemens", "mµ"),
    "C": ("celsius", ""), "px": ("pixel", "M"), "pt": ("point", ""), "rpm": ("revolution/minute", ""),
    "ppm": ("ppm", ""), "ppb": ("ppb", ""),
}  # fmt: skip
# dimension, factor: spellings; indented lines go on
_WORDS = """
second 1: sec secs second seconds sekunde sekunden seconde secondes segundo segundos secondo secondi
    секунда секунды секунд 秒 秒钟 秒間 초
second 0.001: msec millisecond milliseconds millisekunde millisekunden milliseconde millisecondes
    milisegundo milisegundos millisecondi 毫秒 ミリ秒 밀리초
second 0.000001: usec microsecond microseconds mikrosekunde mikrosekunden microseconde microsecondes 微秒
    マイクロ秒
second 0.000000001: nsec nanosecond nanoseconds nanosekunden 纳秒 ナノ秒
second 60: min mins minute minutes minuten minuto minutos minuti минута минуты минут 分 分钟 分鐘 分間 분
second 3600: h hr hrs hour hours stunde stunden std heure heures hora horas ora ore uur час часа часов
    小时 小時 時間 시간
second 86400: day days tag tage tagen jour jours día días dia dias giorno giorni dag dagen день дня дней
    天 日 日間 일
second 604800: week weeks woche wochen semaine semaines semana semanas settimana settimane weken
    неделя недели недель 周 星期 週 週間 주
month 1: month months monat monate monaten mois mes meses mese mesi maand maanden месяц месяца
    месяцев 个月 月 か月 ヶ月 ヵ月 개월
month 12: yr yrs year years jahr jahre jahren an ans année années año años anno anni ano anos jaar год
    года лет 年 年間 년
percent 1: % percent per_cent prozent pourcent porcentaje percento procent процент процента
    процентов パーセント 퍼센트
permille 1: ‰ permille promille
volt 1: volt volts voltios 伏 伏特 ボルト 볼트 вольт VDC VAC Vdc Vac Vpp Vrms
volt 0.001: millivolt millivolts 毫伏 ミリボルト
volt 1000: kilovolt kilovolts 千伏
ampere 1: amp amps ampere amperes ampère ampères 安 安培 アンペア 암페어 ампер
ampere 0.001: milliamp milliamps milliampere milliamperes 毫安 ミリアンペア
watt 1: watt watts vatios 瓦 瓦特 ワット 와트 ватт
watt 1000: kilowatt kilowatts 千瓦 キロワット
ohm 1: ohms 欧姆 欧 オーム 옴 Ohm
hertz 1: hertz 赫兹 赫 ヘルツ
hertz 1000: kilohertz
hertz 1000000: megahertz
hertz 1000000000: gigahertz
celsius 1: °C ℃ celsius 摄氏度
fahrenheit 1: °F ℉ fahrenheit
degree 1: ° deg degree degrees grad degré degrés grados gradi graden градус градуса градусов 度
metre 1: metre metres meter meters mètre mètres metro metros metri метр метра метров 米 メートル 미터
metre 0.001: millimetre millimetres millimeter millimeters millimètre millimètres 毫米 ミリ ミリメートル
metre 0.01: centimetre centimetres centimeter centimeters zentimeter centimètres 厘米 センチ センチメートル
metre 1000: kilometre kilometres kilometer kilometers kilomètre kilomètres 公里 千米 キロメートル
inch 1: inch inches zoll pouce pouces pulgada pulgadas pollice pollici 英寸 インチ 인치
foot 1: ft foot feet fuß
mile 1: mile miles
gram 1: gram grams gramm gramme grammes gramos grammi 克 グラム 그램
gram 1000: kilogram kilograms kilogramm kilogramme kilogrammes kilogramos 公斤 千克 キログラム
pound 1: lb lbs pound pounds
litre 1: litre litres liter liters litro litros litri 升 リットル 리터
byte 1: byte bytes octet octets 字节 バイト 바이트
byte 1000: kilobyte kilobytes キロバイト
byte 1000000: megabyte megabytes Mio MByte メガバイト 메가바이트
byte 1000000000: gigabyte gigabytes GByte ギガバイト 기가바이트
bit 1: 比特 ビット 비트
baud 1: bauds 波特 ボー
decibel 1: decibel decibels dezibel 分贝 デシベル
pixel 1: pixel pixels 像素 ピクセル 픽셀
newtonmetre 1: N·m N⋅m N*m
revolution/minute 1: r/min min-1 U/min 1/min rev/min
pound-foot 1: lb-ft ft-lb lbf·ft
euro 1: € EUR euro euros
dollar 1: $ USD dollar dollars
"""
_COMPOUNDS = """m2 m² cm2 cm² mm2 mm² km2 km² m3 m³ cm3 cm³ mm3 mm³ m/s m/s2 m/s² km/h mph mm/s V/m A/m V/µs
    g/l mg/l kg/m3 kg/m³ W/m2 W/m² l/min l/h °C/min J/kg N/mm2 N/mm² cd/m2 cd/m²"""
_SUPERSCRIPTS = str.maketrans("²³", "23")
AMBIGUOUS = frozenset("b t S T H an ora ore mes Mio 度 安 欧 主".split())  # noqa: SIM905
"""Those that mean much else beside: no unit of their own accord in a summary, but one in its children."""


def _table() -> Iterator[tuple[str, tuple[str, Decimal]]]:
    for symbol, (dimension, prefixes) in _SYMBOLS.items():
        yield symbol, (dimension, Decimal(1))
        for prefix in prefixes:
            yield prefix + symbol, (dimension, Decimal(_PREFIXES[prefix]))
    for line in _WORDS.replace("\n    ", " ").split("\n"):
        head, _, words = line.partition(": ")
        dimension, _, factor = head.partition(" ")
        for word in words.split():
            yield word.replace("_", " "), (dimension, Decimal(factor))
    for compound in _COMPOUNDS.split():
        yield compound, (compound.translate(_SUPERSCRIPTS), Decimal(1))


UNITS = {unicodedata.normalize("NFKC", spelling): unit for spelling, unit in _table()}
"""Normalised spelling (NFKC) -> (dimension, factor). Symbols are told apart by case, words are
looked up case-folded."""

_AFTER = re.compile(
    r"[\s\-\u2011]?(?:[(\[]\s?)?(?:(?P<word>[%℃℉‰$€°]|[°µμΩ]?[A-Za-zÀ-ɏͰ-ҁҊ-֏]+)"
    r"(?P<tail>[/·⋅*-][A-Za-z]+[23²³]?|[23²³])?"
    r"(?![A-Za-zÀ-ɏͰ-ҁҊ-֏0-9_])|(?P<dense>[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]{1,8}))"
)


def unit_after(text: str, at: int) -> tuple[str, int] | None:
    """The spelling of the unit that follows a number ending ``at``, and where it ends."""
    match = _AFTER.match(text, at)
    if not match:
        return None
    if dense := match["dense"]:
        sizes = range(len(dense), 0, -1)
        known = next((dense[:size] for size in sizes if dense[:size] in UNITS), None)
        return (known, match.start("dense") + len(known)) if known else None
    if match["tail"] and unit_of(match["word"] + match["tail"]):
        return match["word"] + match["tail"], match.end()
    return (match["word"], match.end("word")) if match["word"] and unit_of(match["word"]) else None


def unit_of(spelling: str) -> tuple[str, Decimal] | None:
    """The dimension of a unit and its factor, None for what is no unit."""
    return UNITS.get(spelling) or UNITS.get(spelling.casefold())

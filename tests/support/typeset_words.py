"""Words, names, numbers and units for tables, from a random source."""

from __future__ import annotations

from random import Random

_NOUNS = [
    "pump", "valve", "relay", "sensor", "tank", "motor", "filter", "boiler", "nozzle", "switch",
    "meter", "cable", "rotor", "fan", "shaft", "gauge", "hopper", "turbine", "pipe", "breaker", "coil",
    "bearing", "clutch", "damper", "flange", "gasket", "heater", "inverter", "joint", "lever",
    "manifold", "panel", "quencher", "radiator", "seal", "throttle", "unit", "vent", "washer", "yoke",
    "actuator", "blower", "chiller", "drum", "ejector", "feeder",
]  # fmt: skip
_ADJECTIVES = [
    "upper", "lower", "main", "spare", "inner", "outer", "north", "south", "primary", "secondary",
    "rapid", "slow", "hydraulic", "manual", "remote", "local", "auxiliary", "dry", "wet", "heavy",
    "light", "fixed", "mobile", "rated", "nominal", "cold", "hot", "pilot",
]  # fmt: skip
_VERBS = [
    "opens", "closes", "feeds", "cools", "drives", "holds", "stops", "warms", "measures", "releases",
    "protects", "serves",
]  # fmt: skip
_UNITS = ("mA", "kW", "bar", "°C", "mm", "l/min", "Hz", "V", "kg", "Nm")
CHINESE = (
    "水泵",
    "阀门",
    "继电器",
    "传感器",
    "电动机",
    "过滤器",
    "锅炉",
    "开关",
    "仪表",
    "电缆",
    "额定电流",
    "工作压力",
)
JAPANESE = (
    "ポンプ",
    "バルブ",
    "継電器",
    "センサー",
    "電動機",
    "フィルター",
    "ボイラー",
    "開閉器",
    "計器",
    "ケーブル",
    "定格電流",
    "圧力",
)


class Words:
    """What is written on one sheet; names do not come twice."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self._used: set[str] = set()

    def name(self, words: int | None = None) -> str:
        """A name of so many words (by default one to three) that was not given before."""
        while True:
            count = words or self.random.randint(1, 3)
            name = " ".join(
                [*self.random.sample(_ADJECTIVES, count - 1), self.random.choice(_NOUNS)]
            ).capitalize()
            if name not in self._used:
                self._used.add(name)
                return name

    def names(self, count: int, words: int | None = None) -> list[str]:
        return [self.name(words) for _ in range(count)]

    def number(self) -> str:
        random = self.random
        return random.choice(
            (str(random.randint(1, 999)), f"{random.uniform(0, 99):.1f}", f"{random.randint(1000, 99999):,}")
        )

    def numbers(self, count: int) -> list[str]:
        return [self.number() for _ in range(count)]

    def units(self, count: int) -> list[str]:
        return [self.random.choice(_UNITS) for _ in range(count)]

    def caption(self, kind: str) -> str:
        return f"{kind} {self.random.randint(1, 9)}: {self.name(2)} by {self.random.choice(_NOUNS)}"

    def prose(self, words: int) -> str:
        """Sentences of about so many words."""
        said: list[str] = []
        while sum(len(sentence.split()) for sentence in said) < words:
            subject, other = self.random.sample(_NOUNS, 2)
            adjective = self.random.choice(_ADJECTIVES)
            said.append(f"The {adjective} {subject} {self.random.choice(_VERBS)} the {other}.")
        return " ".join(said)

"""How many planted secrets are found in the pages of manuals, and how much else is taken for one.

``python docs/measure_redaction.py $CORPORA/*.pdf --seed 7`` puts 300 secrets of 12 kinds into the text of
pages drawn at random, each between two words or in a line of its own, one in five broken over two lines, and
redacts the pages. A secret is found where all of it is gone. Of what was replaced, the share that was planted
is the precision; the pages' own addresses of mail, which are no mistakes either, are counted apart.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import re
import string
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from treegraph.indexer.loaders.child import ParserPool
from treegraph.indexer.loaders.settings import LoadSettings
from treegraph.indexer.redaction.finder import Redactor
from treegraph.indexer.redaction.settings import RedactSettings

ALNUM = string.ascii_letters + string.digits
URLSAFE = ALNUM + "-_"
Planted = tuple[str, str, str]
"""What stands before the secret, the secret, and what stands behind it."""


class Secrets:
    """Draws secrets, by kind."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw

    def of(self, alphabet: str, length: int) -> str:
        """A random string."""
        return "".join(self.draw.choice(alphabet) for _ in range(length))

    def one(self, *among: str) -> str:
        """One of several."""
        return self.draw.choice(among)

    def aws(self) -> Planted:
        if self.draw.random() < 0.5:
            return "", self.one("AKIA", "ASIA") + self.of(string.ascii_uppercase + "234567", 16), ""
        return self.one("aws_secret_access_key = ", "SecretAccessKey: ", ""), self.of(ALNUM + "+/", 40), ""

    def provider_key(self) -> Planted:
        return "", self.one(
            "sk-proj-" + self.of(URLSAFE, 80),
            "sk-ant-api03-" + self.of(URLSAFE, 93) + "AA",
            "sk-" + self.of(ALNUM, 48),
            self.one("sk_live_", "rk_test_") + self.of(ALNUM, 24),
            "AIza" + self.of(URLSAFE, 35),
            "SG." + self.of(ALNUM, 22) + "." + self.of(ALNUM, 43),
            "-".join(("xoxb", self.of(string.digits, 12), self.of(string.digits, 12), self.of(ALNUM, 24))),
            "shpat_" + self.of("0123456789abcdef", 32),
            "npm_" + self.of(ALNUM, 36),
            "hf_" + self.of(string.ascii_letters, 34),
        ), ""  # fmt: skip

    def github(self) -> Planted:
        if self.draw.random() < 0.3:
            return "", "github_pat_" + self.of(ALNUM, 22) + "_" + self.of(ALNUM, 59), ""
        return "", self.one("ghp_", "gho_", "ghs_") + self.of(ALNUM, 36), ""

    def jwt(self) -> Planted:
        def part(value: object) -> str:
            return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

        head = part({"alg": self.one("HS256", "RS256"), "typ": "JWT"})
        body = part(
            {"sub": self.of(string.digits, 10), "name": self.of(string.ascii_letters, 8), "iat": 1516239022}
        )
        return "", f"{head}.{body}.{self.of(URLSAFE, 43)}", ""

    def private_key(self) -> Planted:
        sort = self.one("RSA ", "EC ", "OPENSSH ", "")
        lines = [self.of(ALNUM + "+/", 64) for _ in range(self.draw.randint(3, 20))] + [
            self.of(ALNUM, 30) + "=="
        ]
        body = "\n".join(lines)
        return "", f"-----BEGIN {sort}PRIVATE KEY-----\n{body}\n-----END {sort}PRIVATE KEY-----", ""

    def password(self) -> Planted:
        word = self.of(ALNUM, self.draw.randint(8, 16)) + self.one("!", "#", "7", "_x9")
        quote = self.one("", "", '"', "'")
        name = self.one("password", "PASSWORD", "db_password", "passwd", "admin.password", "passphrase")
        return f"{name}{self.one(' = ', '=', ': ')}{quote}", word, quote

    def bearer(self) -> Planted:
        return "Authorization: Bearer ", self.of(ALNUM + "-._~+/", self.draw.randint(24, 60)) + "a1", ""

    def email(self) -> Planted:
        name = (
            self.of(string.ascii_lowercase, 5)
            + self.one(".", "_", "+", "")
            + self.of(string.ascii_lowercase, 6)
        )
        host = self.of(string.ascii_lowercase, 7) + self.one("", "-it", ".mail")
        return "", f"{name}@{host}.{self.one('com', 'org', 'de', 'co.uk', 'fr', 'jp', 'io')}", ""

    def card(self) -> Planted:
        prefix, length = self.draw.choice(
            [("4", 16), ("51", 16), ("2221", 16), ("37", 15), ("6011", 16), ("35", 16)]
        )
        prefix = prefix if prefix != "35" else "3530"
        bare = prefix + self.of(string.digits, length - len(prefix) - 1)
        doubled = [2 * int(d) for d in bare[::-2]]
        total = sum(d - 9 * (d > 9) for d in doubled) + sum(map(int, bare[-2::-2]))
        number = bare + str(-total % 10)
        groups = [4, 6, 5] if length == 15 else [4, 4, 4, 4]
        return "", self.one("", " ", "-").join(_cut(number, groups)), ""

    def iban(self) -> Planted:
        country, length = self.draw.choice(
            [("DE", 22), ("FR", 27), ("GB", 22), ("NL", 18), ("ES", 24), ("CH", 21)]
        )
        letters = {"GB": 4, "NL": 4}.get(country, 0)
        account = self.of(string.ascii_uppercase, letters) + self.of(string.digits, length - 4 - letters)
        check = 98 - int("".join(str(int(c, 36)) for c in f"{account}{country}00")) % 97
        number = f"{country}{check:02}{account}"
        return "", self.one("", " ").join(_cut(number, [4] * 8)), ""

    def phone(self) -> Planted:
        def digits(count: int) -> str:
            return self.of("123456789", 1) + self.of(string.digits, count - 1)

        us = f"{self.of('23456789', 1)}{self.of(string.digits, 2)}"
        return "", self.one(
            f"+1 {us}-{self.of('23456789', 1)}{self.of(string.digits, 2)}-{self.of(string.digits, 4)}",
            f"+1{us}{self.of('23456789', 1)}{self.of(string.digits, 6)}",
            f"+44 20 {digits(4)} {digits(4)}",
            f"+49 (0)30 {digits(6)}",
            f"+49 151 {digits(8)}",
            f"+33 1 {' '.join(self.of(string.digits, 2) for _ in range(4))}",
            f"+81-3-{digits(4)}-{digits(4)}",
            f"+86 138 {digits(4)} {digits(4)}",
            f"+91 {digits(5)} {digits(5)}",
            f"+55 (11) {digits(5)}-{digits(4)}",
        ), ""  # fmt: skip

    def drawn(self) -> Planted:
        alphabet, length = self.draw.choice(
            [
                ("0123456789abcdef", 32),
                ("0123456789abcdef", 64),
                (ALNUM + "+/", 43),
                (URLSAFE, 32),
                (ALNUM, 40),
            ]
        )
        return self.one("", "api_key: ", "the value ", "client_secret="), self.of(alphabet, length), ""


KINDS = (
    "aws", "provider_key", "github", "jwt", "private_key", "password", "bearer", "email", "card", "iban",
    "phone", "drawn",
)  # fmt: skip


def _cut(text: str, groups: Sequence[int]) -> list[str]:
    parts, at = [], 0
    for size in groups:
        parts.append(text[at : at + size])
        at += size
    return [part for part in parts if part]


def _broken(secret: str, draw: random.Random) -> str:
    """The secret over two lines, not within its first or last three characters."""
    at = draw.randrange(3, len(secret) - 3)
    return secret[:at].rstrip() + draw.choice(["\n", "\n", "-\n", " "]) + secret[at:].lstrip()


def plant(page: str, planted: Planted, draw: random.Random, kind: str) -> tuple[str, int, int]:
    """The page with the secret in it, and where it stands there."""
    before, secret, behind = planted
    if kind not in ("private_key", "password") and draw.random() < 0.2:
        secret = _broken(secret, draw)
    gaps = [match.start() for match in re.finditer(r"\s", page)] or [len(page)]
    at = draw.choice(gaps)
    own = kind == "private_key" or draw.random() < 0.3
    left, right = ("\n", "\n") if own else (" ", draw.choice([" ", ", ", ". "]))
    start = at + len(left + before)
    return page[:at] + left + before + secret + behind + right + page[at:], start, start + len(secret)


def main() -> None:
    """Measure, and print recall by kind and precision."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--each", type=int, default=25, help="Secrets of each kind.")
    parser.add_argument("--show", action="store_true", help="Print what was missed, and what was no secret.")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    pages: list[str] = []
    with ParserPool(LoadSettings()) as pool:
        for path in sorted(options.files):
            content = pool.parse(path, "application/pdf", None)
            texts = (content.text[page.start : page.end] for page in content.pages)
            pages += [text for text in texts if len(text) > 400]
    chosen = draw.sample(pages, len(KINDS) * options.each)
    redactor, secrets = Redactor(RedactSettings(kinds=("all",))), Secrets(draw)
    found: Counter[str] = Counter()
    right = wrong = mail = 0
    spent, characters = 0.0, 0
    for number, page in enumerate(chosen):
        kind = KINDS[number % len(KINDS)]
        make: Callable[[], Planted] = getattr(secrets, kind)
        text, start, end = plant(page, make(), draw, kind)
        begun = time.process_time()
        replaced = redactor.find(text)
        spent, characters = spent + time.process_time() - begun, characters + len(text)
        left = set(range(start, end)) - {at for one in replaced for at in range(one.start, one.end)}
        whole = not any(text[at].isalnum() for at in left)
        found[kind] += whole
        if not whole and options.show:
            print("missed", kind, repr(text[max(0, start - 30) : end + 30]), replaced)
        for one in replaced:
            inside = min(one.end, end) - max(one.start, start)
            planted = inside > 0.5 * (one.end - one.start)
            own_mail = not planted and one.kind == "email"
            right, mail, wrong = right + planted, mail + own_mail, wrong + (not planted and not own_mail)
            if not planted and options.show:
                print("replaced", one.kind, repr(text[max(0, one.start - 40) : one.end + 20]))
    for kind in KINDS:
        print(f"{kind:12} {found[kind]} of {options.each}")
    print(f"recall {sum(found.values()) / len(chosen):.3f} of {len(chosen)} on as many pages")
    total = right + mail + wrong
    print(f"precision {(right + mail) / total:.3f}: {wrong} of {total} replaced were no secret")
    print(f"  with {mail} addresses of mail of the pages' own; {right / total:.3f} were planted")
    print(f"{characters / spent / 1e6:.2f} million characters a second")


if __name__ == "__main__":
    main()

"""Secrets of every kind in a text of our own, what is none, and those that a line's end breaks."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.errors import ConfigurationError
from treegraph.indexer.pages import Page, PageBox, PageReading, Placed, ReadLine
from treegraph.indexer.redaction.content import redact_content, redact_document, redact_reading
from treegraph.indexer.redaction.finder import Redactor
from treegraph.indexer.redaction.settings import KINDS, RedactSettings
from treegraph.indexer.types import Block, Content, Document, Section

ALL = Redactor(RedactSettings(kinds=("all",)))
BODY = "Tq7VbLx2Zr9KdWm4YpHs6NcGj8FuEa3Q"
SECRETS = {
    "AKIAQ3EGRVZT5WLMBX2C": "[KEY]",
    f"sk-ant-api03-{BODY}{BODY}AA": "[KEY]",
    f"sk_live_{BODY[:24]}": "[KEY]",
    f"AIza{BODY}abC": "[KEY]",
    f"ghp_{BODY}4Xy7": "[TOKEN]",
    f"xoxb-705316152735-993427101484-{BODY[:24]}": "[TOKEN]",
    f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.{BODY}x_9": "[TOKEN]",
    "4539 1488 0343 6467": "[CARD]",
    "371449635398431": "[CARD]",
    "DE89 3704 0044 0532 0130 00": "[IBAN]",
    "GB82WEST12345698765432": "[IBAN]",
    "jo.lind@heron-mill.example": "[EMAIL]",
    "+44 20 7946 0958": "[PHONE]",
    "+49 (0)30 901820": "[PHONE]",
    "(555) 234-5678": "[PHONE]",
    "c157a79031e1c40f85931829bc5fc552": "[RANDOM]",
    f"{BODY}+/9aQ=": "[RANDOM]",
    "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIrYSSNQFaA2Hwf1\n-----END EC PRIVATE KEY-----": "[PRIVATE KEY]",
}
HARMLESS = (
    "The register at 0x1F80 holds MAX_BUFFER_SIZE, and CR4.OSFXSR is bit 9.",
    "Version 3.14.159-rc2 of libheron-dev_2.0.0+really1.9_amd64.deb",
    "sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "d41d8cd98f00b204e9800998ecf8427e  gate.bin\n",
    ":100010001F920F920FB60F9211242F938F939F93DD",
    "__AVR_ATmega64HVE2__ __AVR_ATxmega128A4U__ PSC1_CAPT_vect TIMER0_COMPA_vect",
    "getty@tty1.service and icon@2x.png",
    "password = getpass(prompt)\npassword: <your password>",
    'pwd = "/path/to/debhello-0.0"\ntoken = next_token',
    "10 20 30\n4539 1488 0343 6468 is off by one; 4.539148803436467",
    "+1.5e10 and x+12345678 and 3 + 44 20 79",
    "00112233445566778899aabbccddeeff 0123456789abcdef0123456789abcdef",
    "DE00 3704 0044 0532 0130 00",
)


@pytest.mark.parametrize(("secret", "placeholder"), SECRETS.items())
def test_a_secret_is_replaced_and_nothing_else(secret: str, placeholder: str) -> None:
    found = ALL.redact(f"Before it ({secret}), and behind.")
    assert found.text == f"Before it ({placeholder}), and behind."
    assert [f"Before it ({secret}), and behind."[s.start : s.end] for s in found.secrets] == [secret]
    assert ALL.redact(found.text).text == found.text


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert ALL.clean(text) == text


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ('password = "correct-horse"', 'password = "[PASSWORD]"'),
        ("The password is: Tr0ub4dor&3", "The password is: [PASSWORD]"),
        ("DB_PASSWORD=hunter2! # old", "DB_PASSWORD=[PASSWORD] # old"),
        ("postgres://heron:s3cr3t@db/x", "postgres://heron:[PASSWORD]@db/x"),
        (f"Authorization: Bearer {BODY}", "Authorization: Bearer [TOKEN]"),
        (f"client_secret: {BODY[:20]};", "client_secret: [KEY];"),
        ("Tel. 0044 20 7946 0958", "Tel. [PHONE]"),
    ],
)
def test_names_say_what_is_secret(text: str, clean: str) -> None:
    assert ALL.clean(text) == clean


@pytest.mark.parametrize("broken", ["\n", "-\n", " ", "-\n   "])
@pytest.mark.parametrize("secret", ["AKIAQ3EGRVZT5WLMBX2C", f"ghp_{BODY}4Xy7", "DE89370400440532013000"])
def test_a_secret_that_a_line_breaks_is_found(secret: str, broken: str) -> None:
    for at in range(2, len(secret) - 1):
        text = f"It is {secret[:at]}{broken}{secret[at:]} here"
        assert re.fullmatch(r"It is \[[A-Z]+\] here", ALL.clean(text)), text


def test_addresses_and_random_strings_go_on_in_the_next_line() -> None:
    assert ALL.clean("Ask jo.lind@heron-\nmill.com.") == "Ask [EMAIL]."
    assert ALL.clean(f"Take {BODY[:20]}\n{BODY[20:]} now") == "Take [RANDOM] now"
    assert ALL.clean("Ask jo@heron-mill.com\nNext comes") == "Ask [EMAIL]\nNext comes"


def test_kinds_patterns_and_what_is_kept_are_the_users() -> None:
    settings = RedactSettings(
        kinds=("email",), patterns={"case_number": r"case (?P<secret>\d{6})"}, keep=(r"docs@.*",)
    )
    text = "Write to docs@heron.example or jo@heron.example of case 123456, +44 20 7946 0958."
    found = Redactor(settings).redact(text)
    assert found.text == "Write to docs@heron.example or [EMAIL] of case [CASE_NUMBER], +44 20 7946 0958."
    assert found.counts == {"email": 1, "case_number": 1}
    assert not RedactSettings().active


def test_national_numbers_are_found_in_the_regions_named() -> None:
    pytest.importorskip("phonenumbers", reason="the extra redact is not installed")
    at_home = Redactor(RedactSettings(kinds=("phone",), phone_regions=("GB", "DE")))
    assert at_home.clean("Call 020 7946 0958 or 030 901820.") == "Call [PHONE] or [PHONE]."
    assert at_home.clean("0.40031 0.92982 and 0540147") == "0.40031 0.92982 and 0540147"
    with pytest.raises(ConfigurationError, match="no region XX"):
        Redactor(RedactSettings(kinds=("phone",), phone_regions=("XX",)))


@pytest.mark.parametrize(
    "wrong",
    [{"patterns": {"x": "("}}, {"patterns": {"x": "a*"}}, {"patterns": {"No": "a"}}, {"keep": ("[",)}],
)
def test_a_pattern_that_cannot_be_used_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match=r"load\.redact"):
        RedactSettings(**wrong)  # type: ignore[arg-type]


def test_everything_of_a_content_is_clean_and_in_its_place() -> None:
    table = "| who | mail |\n| Jo | jo@heron.example |"
    key = "-----BEGIN PRIVATE KEY-----\nMHcCAQEEIIrYSSNQFaA2Hwf1\n"
    rest = "duRSxKtLYX5CB04fMHcCAQEE\n-----END PRIVATE KEY-----"
    text = f"Of jo@heron.example\n{table}\n{key}{rest}\nThe end."
    second = text.index(rest)
    content = Content(
        text,
        "application/pdf",
        title="Letter to jo@heron.example",
        pages=(Page(1, 0, second), Page(2, second, len(text)), Page(3, len(text), len(text))),
        sections=(Section("Of jo@heron.example", 1, 0), Section("The end.", 1, text.index("The end."))),
        blocks=(
            Block("table", text.index(table), text.index(table) + len(table), caption="jo@heron.example"),
        ),
        placed=(Placed(text.index("The end."), len(text), PageBox(2, 1, 2, 3, 4)),),
    )
    clean = redact_content(content, ALL)
    assert clean.text == "Of [EMAIL]\n| who | mail |\n| Jo | [EMAIL] |\n[PRIVATE KEY]\nThe end."
    assert (clean.title, clean.sections[0].title) == ("Letter to [EMAIL]", "Of [EMAIL]")
    assert clean.text[clean.sections[1].start :] == "The end."
    (block,) = clean.blocks
    assert (clean.text[block.start : block.end], block.caption) == (
        "| who | mail |\n| Jo | [EMAIL] |",
        "[EMAIL]",
    )
    first, second_page, third = clean.pages
    assert (first.end, second_page.start, second_page.end) == (second_page.start, first.end, third.start)
    assert clean.text[second_page.start :] == "\nThe end."
    assert clean.text[clean.placed[0].start : clean.placed[0].end] == "The end."
    assert (clean.redacted, clean.withheld) == ({"email": 3, "private_key": 1}, (1, 2))


@given(
    st.lists(
        st.sampled_from(
            ["jo@heron.example ", "word ", "\n", "+44 20 7946 0958 ", "DE89 3704 0044 0532 0130 00 "]
        )
    )
)
def test_places_hold_the_same_text_as_before(parts: list[str]) -> None:
    text = "".join(parts)
    starts = [sum(map(len, parts[:at])) for at in range(len(parts) + 1)]
    cuts = tuple(Page(at, a, b) for at, (a, b) in enumerate(pairwise(starts), 1))
    clean = redact_content(Content(text, "text/plain", pages=cuts), ALL)
    assert "".join(clean.text[page.start : page.end] for page in clean.pages) == clean.text
    for part, page in zip(parts, clean.pages, strict=True):
        if part == "word ":
            assert clean.text[page.start : page.end] == part
    assert sum(clean.redacted.values()) == sum(any(map(str.isdigit, part)) or "@" in part for part in parts)


def test_a_reading_is_clean_over_its_lines_and_escapes() -> None:
    def line(text: str, top: float) -> ReadLine:
        return ReadLine(text, (0, top, 10, top + 9), 0.9)

    lines = (line("The key is AKIAQ3EGRV", 0), line("ZT5WLMBX2C.", 10), line("Call +44 20 7946 0958", 20))
    read = redact_reading(PageReading(1, "ocr", lines), ALL)
    assert [each.text for each in read.lines] == ["The key is [KEY]", ".", "Call [PHONE]"]
    assert [each.box for each in read.lines] == [each.box for each in lines]
    assert read.redacted == {"key": 1, "phone": 1}
    written = redact_reading(PageReading(1, "native", markdown=f"It is **ghp\\_{BODY}4Xy7**\\."), ALL)
    assert written.markdown == "It is **[TOKEN]**\\."


def test_fields_are_clean_also_by_their_names() -> None:
    fields = {
        "owner": ["jo@heron.example", "staff"],
        "password": "kestrel9",
        "card": 4539148803436467,
        "n": 3,
    }
    document = redact_document(Document("1", "m/a.md", "By jo@heron.example", fields=fields), ALL)
    assert document.title == "By [EMAIL]"
    assert document.fields == {
        "owner": ["[EMAIL]", "staff"],
        "password": "[PASSWORD]",
        "card": "[CARD]",
        "n": 3,
    }
    assert document.redacted == {"card": 1, "email": 2, "password": 1}


def test_every_kind_is_found_by_itself() -> None:
    assert {
        kind for kind in KINDS if any(Redactor(RedactSettings(kinds=(kind,))).find(s) for s in SECRETS)
    } == (  # type: ignore[arg-type]
        set(KINDS) - {"password"}
    )

"""From what a page shows to the way in which it is read, on PDFs that are made here."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_pictures import HEIGHT, WIDTH, chart_pdf, scanned_pdf, text_page, text_pdf
from treegraph.indexer.errors import NoText
from treegraph.indexer.loaders.pdf import read_pdf
from treegraph.indexer.loaders.pdf_garbled import is_garbled, is_holed
from treegraph.indexer.loaders.pdf_ways import Signs, decide
from treegraph.indexer.loaders.settings import LoadSettings
from treegraph.indexer.pages import PageReading, ReadLine

SAMPLE = Path(__file__).parents[3] / "corpora" / "field_guide"
LINES = ("The relay is mounted on the rear panel.", "It draws 40 mA from the supply of the rack.")
OCR = LoadSettings(ocr=True)
BOTH = LoadSettings(ocr=True, native=True)
NONE = LoadSettings()
PROSE = (
    "The unit is to be mounted upright on a wall that carries four times its weight, away from heat and "
    "from water. Leave a hand's breadth around it, so that air can pass, and do not cover the slots. When "
    "it has been switched on for the first time the lamp blinks for a minute; this is not a fault."
)


def picture(draw: Callable[[pymupdf.Page], object]) -> bytes:
    page = pymupdf.open().new_page(width=WIDTH, height=HEIGHT)
    draw(page)
    return bytes(page.get_pixmap(dpi=60).tobytes("png"))


def one_page(path: Path, draw: Callable[[pymupdf.Page], object]) -> Path:
    document = pymupdf.open()
    draw(document.new_page(width=WIDTH, height=HEIGHT))
    document.save(path)
    return path


def ways(path: Path, settings: LoadSettings) -> list[tuple[int, str, str]]:
    return [(page.number, page.way, page.why) for page in read_pdf(path, settings, None).wanted]


def cover(page: pymupdf.Page, image: bytes) -> None:
    page.insert_image(page.rect, stream=image)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of text, a scan, a blank page."""
    path = scanned_pdf(tmp_path_factory.mktemp("ways") / "mixed.pdf", [LINES])
    document = pymupdf.open(path)
    text_page(document, LINES)
    document.move_page(1, 0)
    document.new_page(width=WIDTH, height=HEIGHT)
    document.save(path.with_name("whole.pdf"))
    return path.with_name("whole.pdf")


def test_auto_reads_text_by_its_layer_and_a_scan_by_the_best_way_at_hand(mixed: Path) -> None:
    assert ways(mixed, OCR) == [(2, "ocr", "an image without text")]
    assert ways(mixed, BOTH) == [(2, "native", "an image without text")]
    assert ways(mixed, NONE) == []


@pytest.mark.parametrize(
    ("mode", "at_hand", "wanted"),
    [
        ("text", BOTH, []),
        ("ocr", BOTH, [(1, "ocr"), (2, "ocr")]),
        ("native", BOTH, [(1, "native"), (2, "native")]),
        ("native", OCR, [(1, "ocr"), (2, "ocr")]),
        ("ocr", NONE, []),
        ("native", NONE, []),
    ],
)
def test_modes_take_all_pages_but_blank_ones(
    mixed: Path, mode: str, at_hand: LoadSettings, wanted: list[tuple[int, str]]
) -> None:
    settings = replace(at_hand, pdf=mode)
    assert [(number, way) for number, way, _ in ways(mixed, settings)] == wanted


def test_a_page_that_stays_unread_says_why_and_a_blank_one_nothing(mixed: Path) -> None:
    pages = read_pdf(mixed, NONE, None).pages
    assert [page.why for page in pages] == ["", "an image without text; no OCR is installed", ""]
    pages = read_pdf(mixed, replace(BOTH, pdf="text"), None).pages
    assert [page.why for page in pages] == ["", "an image without text; text mode", ""]


def test_which_ways_pages_are_open_to_does_not_hang_on_what_is_at_hand(mixed: Path, tmp_path: Path) -> None:
    plain = text_pdf(tmp_path / "plain.pdf", [LINES])
    for settings in (NONE, BOTH, replace(OCR, pdf="text")):
        assert read_pdf(mixed, settings, None).open_to == ("native", "ocr")
        assert read_pdf(plain, settings, None).open_to == ()


def test_without_any_text_the_error_says_what_to_do(tmp_path: Path) -> None:
    scan = scanned_pdf(tmp_path / "scan.pdf", [LINES])
    with pytest.raises(NoText, match=r"1 pages: an image without text; no OCR.*treegraph\[ocr\]"):
        read_pdf(scan, NONE, None)
    with pytest.raises(NoText, match=r"text mode.*--pdf auto"):
        read_pdf(scan, replace(OCR, pdf="text"), None)
    blank = one_page(tmp_path / "blank.pdf", lambda page: None)
    with pytest.raises(NoText, match="they are blank"):
        read_pdf(blank, BOTH, None)


def test_text_laid_under_a_scan_by_another_ocr_stays_and_is_named(tmp_path: Path) -> None:
    def draw(page: pymupdf.Page, text: str = PROSE) -> None:
        cover(page, picture(lambda shown: shown.insert_textbox(shown.rect, text)))
        page.insert_textbox(page.rect, text, render_mode=3)

    layered = one_page(tmp_path / "layered.pdf", draw)
    content = read_pdf(layered, BOTH, None)
    assert content.wanted == ()
    assert "away from heat" in content.text
    assert content.pages[0].why == "text that another OCR laid under the image"
    noise = one_page(
        tmp_path / "noise.pdf", lambda page: draw(page, "I l . ~ ii W _ r l| o , : ) q z j e" * 3)
    )
    assert ways(noise, OCR) == [(1, "ocr", "letters without meaning")]


def test_a_stamp_on_a_scan_is_little_text_and_a_background_under_prose_is_not(tmp_path: Path) -> None:
    photo = picture(lambda page: page.draw_circle((200, 150), 90, fill=(0.8, 0.9, 1)))
    stamped = one_page(
        tmp_path / "stamped.pdf", lambda page: (cover(page, photo), page.insert_text((20, 20), "Copy 7"))
    )
    assert ways(stamped, OCR) == [(1, "ocr", "an image with little text")]
    prose = one_page(
        tmp_path / "prose.pdf", lambda page: (cover(page, photo), page.insert_textbox(page.rect, PROSE))
    )
    assert ways(prose, OCR) == []


def test_letters_drawn_as_curves_are_a_drawing_to_be_read(tmp_path: Path) -> None:
    def draw(page: pymupdf.Page) -> None:
        for index in range(40):
            page.draw_bezier((20 + index, 20), (30, 60), (90, 20), (20, 90 + index))

    assert ways(one_page(tmp_path / "curves.pdf", draw), OCR) == [(1, "ocr", "a drawing without text")]


def test_a_page_with_a_chart_is_wanted_by_a_vision_model_alone(tmp_path: Path) -> None:
    chart = chart_pdf(tmp_path / "chart.pdf")
    assert ways(chart, OCR) == []
    assert ways(chart, BOTH) == [(1, "native", "a figure or chart")]
    assert read_pdf(chart, NONE, None).open_to == ("native",)


SHARES = st.sampled_from([0.0, 0.01, 0.04, 0.2, 0.4, 0.6, 1.0])


@given(
    signs=st.builds(
        Signs,
        letters=st.sampled_from([0, 1, 50, 99, 100, 3000]),
        images=SHARES,
        figures=SHARES,
        shapes=st.sampled_from([0, 11, 12, 99, 100, 5000]),
        garbled=st.booleans(),
        invisible=st.booleans(),
        holed=st.booleans(),
    ),
    settings=st.builds(
        LoadSettings,
        pdf=st.sampled_from(["text", "ocr", "native", "auto"]),
        ocr=st.booleans(),
        native=st.booleans(),
    ),
)
def test_no_page_is_wanted_in_a_way_that_is_not_at_hand_or_not_asked_for(
    signs: Signs, settings: LoadSettings
) -> None:
    verdict = decide(signs, settings)
    assert verdict.way != "ocr" or settings.ocr
    assert verdict.way != "native" or settings.native
    assert settings.pdf != "text" or verdict.way == "text"
    assert settings.pdf != "ocr" or verdict.way != "native"
    assert settings.pdf != "auto" or verdict.way in ("text", *verdict.open_to)
    assert verdict.way == "text" or verdict.why
    everything = replace(settings, pdf="auto", ocr=True, native=True)
    assert verdict.open_to == decide(signs, everything).open_to
    blank = (
        not signs.letters and not (signs.garbled or signs.holed) and signs.images < 0.02 and signs.shapes < 12
    )
    assert not blank or verdict == ("text", "", ())


RUSSIAN = (
    "Устройство крепится на стене, которая выдерживает четырёхкратный его вес, вдали от тепла и воды. "
    "Оставьте вокруг место, чтобы проходил воздух, и не закрывайте щели. После первого включения лампа "
    "мигает одну минуту; это не является неисправностью и не требует ремонта."
)


def holed(text: str, share: float) -> str:
    chance = random.Random(5)
    return "".join("\ufffd" if c.isalpha() and chance.random() < share else c for c in text)


def written_pdf(path: Path, text: str) -> Path:
    """One page of a text in any script that the font knows, a replacement character among them."""

    def draw(page: pymupdf.Page) -> None:
        writer = pymupdf.TextWriter(page.rect)
        writer.fill_textbox((20, 20, WIDTH - 20, HEIGHT - 20), text, font=pymupdf.Font("cjk"), fontsize=11)
        writer.write_text(page)

    return one_page(path, draw)


@pytest.mark.parametrize("text", [PROSE, RUSSIAN])
def test_words_with_letters_missing_are_wanted_otherwise_and_stay_named_where_nothing_reads_them(
    tmp_path: Path, text: str
) -> None:
    for share in (0.0, 0.01):
        clean = written_pdf(tmp_path / "clean.pdf", holed(text, share))
        assert read_pdf(clean, BOTH, None).wanted == ()
        assert read_pdf(clean, BOTH, None).pages[0].why == ""
    path = written_pdf(tmp_path / "holed.pdf", holed(text, 0.1))
    assert ways(path, OCR) == [(1, "ocr", "words with letters missing")]
    assert ways(path, BOTH) == [(1, "native", "words with letters missing")]
    (page,) = read_pdf(path, NONE, None).pages
    assert page.why == "words with letters missing; no OCR is installed"

    def read(said: str, why: str = "") -> tuple[str, str, bool]:
        lines = (ReadLine(said, (24.0, 40.0, 400.0, 54.0), 0.9),) if said else ()
        content = read_pdf(path, OCR, None, [PageReading(1, "ocr", lines, confidence=0.9, why=why)])
        return content.pages[0].origin, content.pages[0].why, said in content.text

    assert read(" ".join(text.split())) == ("ocr", "words with letters missing", True)
    unread = "unsupported script in 9 of 9 lines"
    kept = f"words with letters missing; OCR reads less of it, {unread}"
    assert read("x 1", unread) == ("text", kept, False)
    assert read("", unread)[:2] == ("text", kept)


def test_signs_without_meaning_that_stand_apart_from_words_are_no_missing_letters(tmp_path: Path) -> None:
    assert not is_holed(f"{PROSE} \uf0b7 \uf0b7", unmapped=15)
    assert is_holed(f"{PROSE} {chr(0xE041) * 9} {chr(0xE042) * 9} {chr(0xE043) * 30}")
    assert is_holed(PROSE, unmapped=100)
    listed = "".join(f"\ufffd {part}. " for part in PROSE.split(",")) + " \ufffd" * 20
    assert read_pdf(written_pdf(tmp_path / "list.pdf", listed), BOTH, None).wanted == ()


def shifted(text: str, by: int) -> str:
    return "".join(chr(ord(letter) - by) if ord(letter) - by >= 32 else "" for letter in text)


def exchanged(text: str, seed: int) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"
    others = "".join(random.Random(seed).sample(letters, len(letters)))
    return text.translate(str.maketrans(letters + letters.upper(), others + others.upper()))


def test_a_text_layer_in_cipher_is_read_by_ocr(tmp_path: Path) -> None:
    for name, text in (
        ("shifted", shifted(PROSE, 29)),
        ("unspaced", PROSE.replace(" ", "").replace(",", "")),
    ):
        path = one_page(
            tmp_path / f"{name}.pdf", lambda page, text=text: page.insert_textbox(page.rect, text, fontsize=9)
        )
        assert [(way, why) for _, way, why in ways(path, OCR)] == [("ocr", "letters without meaning")], name


def data_lines(kind: str) -> list[str]:
    """Forty lines of what machines write, without spaces."""
    drawn = random.Random(7)
    if kind == "certificate":
        coded = base64.b64encode(drawn.randbytes(40 * 48)).decode()
        body = [coded[at : at + 64] for at in range(0, len(coded), 64)]
        return [*LINES, "-----BEGIN CERTIFICATE-----", *body, "-----END CERTIFICATE-----"]
    if kind == "hex":
        return [drawn.randbytes(32).hex() for _ in range(40)]
    if kind == "fingerprints":
        return [drawn.randbytes(20).hex(":") for _ in range(40)]
    letters = {"gene": "acgt", "protein": "ACDEFGHIKLMNPQRSTVWY", "keys": "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"}[
        kind
    ]
    return ["".join(drawn.choices(letters, k=60)) for _ in range(40)]


@pytest.mark.parametrize("kind", ["certificate", "hex", "fingerprints", "gene", "protein", "keys"])
def test_data_without_spaces_is_no_cipher(kind: str, tmp_path: Path) -> None:
    lines = data_lines(kind)
    path = one_page(
        tmp_path / "data.pdf",
        lambda page: page.insert_text((20, 20), lines, fontsize=5, fontname="cour"),
    )
    content = read_pdf(path, BOTH, None)
    assert (content.wanted, content.open_to) == ((), ())
    assert not is_garbled("".join(lines))
    if kind == "certificate":
        assert is_garbled(" ".join([*lines, *[shifted(PROSE, 29)] * 8])), "what stands beside data counts"


def test_ciphers_are_told_from_what_people_write() -> None:
    chapters = [
        path.read_text("utf-8") for path in sorted(SAMPLE.rglob("*")) if path.suffix in (".md", ".html")
    ]
    pages = [chapter[at : at + 1000] for chapter in chapters for at in range(0, len(chapter) - 400, 1000)]
    assert len(pages) > 20
    assert [page for page in pages if is_garbled(page)] == []
    for by in (1, 3, 29):
        caught = sum(is_garbled(shifted(page, by)) for page in pages)
        assert caught >= 0.9 * len(pages), by
    assert sum(is_garbled(exchanged(page, seed)) for seed, page in enumerate(pages)) >= 0.75 * len(pages)


@pytest.mark.parametrize(
    "text",
    [
        "int main(void) { for (i = 0; i < n; i++) { buf[i] ^= 0x7F; } return (*fp)(buf, n); }\n" * 6,
        "| 0x1F | 12.5 | -40 | 85 | QFN32 |\n| 0x2A | 13.1 | -40 | 125 | LQFP48 |\n" * 12,
        "CR4.OSFXSR CPUID.01H:EDX.SSE MOVAPS XMM1 ADDPS XMM2 MULPS XMM3 #UD #NM #XM\n" * 8,
        "Introduction . . . . . . . . . . . 1\nSafety . . . . . . . . . . . . . . 3\n" * 12,
        "請先閱讀本手冊，並妥善保存以供日後參考。請勿將本機放置在潮濕的地方，也不要自行拆卸。" * 6,
        "この装置を使用する前に、取扱説明書をよくお読みください。" * 8,
        "Прибор следует установить вертикально на стене, вдали от источников тепла и воды. " * 6,
        "Größere Überhöhungen müssen außerhalb der Prüfräume geprüft werden. " * 6,
    ],
)
def test_code_tables_and_other_scripts_are_no_ciphers(text: str) -> None:
    assert not is_garbled(text)


def test_a_font_that_does_not_say_what_its_letters_mean() -> None:
    assert is_garbled("\ufffd" * 300)
    assert is_garbled("\uf041\uf042\uf043 " * 80)
    assert is_garbled("Contents", unmapped=400)
    assert not is_garbled(f"{PROSE} \uf0b7 \uf0b7", unmapped=100)
    assert is_garbled("Ðåãèñòðàöèÿ óñòðîéñòâà â ñèñòåìå îáÿçàòåëüíà " * 8)

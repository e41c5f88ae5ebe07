"""PDFs that cannot be read, or not wholly: each has its own error, and says what to do."""

import os
import zlib
from pathlib import Path

import pymupdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from treegraph.indexer.errors import (
    CorruptFile,
    EmptyFile,
    EncryptedFile,
    LimitExceeded,
    LoadError,
    NoText,
    UnreadableFile,
)
from treegraph.indexer.loaders.pdf import read_pdf
from treegraph.indexer.loaders.settings import LoadSettings

SETTINGS = LoadSettings()
NO_PAGES = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bad.pdf"


def some_pages(count: int) -> pymupdf.Document:
    document = pymupdf.open()
    for number in range(count):
        document.new_page().insert_text((72, 300), f"Sheet {number} tells about its own part.")
    return document


def encrypted(path: Path, user: str | None) -> None:
    some_pages(2).save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="owner-secret", user_pw=user)


def test_no_bytes(path: Path) -> None:
    path.touch()
    with pytest.raises(EmptyFile, match="no bytes"):
        read_pdf(path, SETTINGS, None)


@pytest.mark.parametrize(
    "ending", [b"trailer<</Root 1 0 R/Size 3>>\n%%EOF\n", b"trailer<</Root 1 0 R/Size 3>>"]
)
def test_no_pages(path: Path, ending: bytes) -> None:
    path.write_bytes(NO_PAGES + ending)
    with pytest.raises(EmptyFile, match="no pages"):
        read_pdf(path, SETTINGS, None)


def test_not_there(path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"bad\.pdf"):
        read_pdf(path, SETTINGS, None)


@pytest.mark.parametrize("data", [b"no pdf at all", b"%PDF-1.7\n" + bytes(range(256)) * 20])
def test_no_pdf(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    with pytest.raises(CorruptFile, match=r"bad\.pdf"):
        read_pdf(path, SETTINGS, None)


def test_only_images(path: Path) -> None:
    document = pymupdf.open()
    picture = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 8, 8))
    picture.clear_with(90)
    for _ in range(3):
        document.new_page().insert_image(pymupdf.Rect(0, 0, 595, 842), pixmap=picture)
    document.save(path)
    with pytest.raises(NoText, match="3 pages"):
        read_pdf(path, SETTINGS, None)


@pytest.mark.parametrize("password", ["owner-secret", "user-secret"])
def test_either_password_opens(path: Path, password: str) -> None:
    encrypted(path, "user-secret")
    assert "Sheet 1" in read_pdf(path, SETTINGS, password).text


@pytest.mark.parametrize("password", [None, "guess-17"])
def test_a_missing_or_wrong_password_says_how_to_give_it(path: Path, password: str | None) -> None:
    encrypted(path, "user-secret")
    with pytest.raises(EncryptedFile, match=r"\[load\.passwords\]") as error:
        read_pdf(path, SETTINGS, password)
    assert "env:NAME" in str(error.value)
    assert "guess-17" not in str(error.value)


def test_a_file_that_only_its_owner_may_change_is_read_without_password(path: Path) -> None:
    encrypted(path, None)
    assert "Sheet 0" in read_pdf(path, SETTINGS, None).text


def test_a_truncated_file_says_what_it_lost(path: Path) -> None:
    data = some_pages(20).tobytes()
    path.write_bytes(data[: data.rindex(b"endobj", 0, len(data) // 2) + 6])
    content = read_pdf(path, SETTINGS, None)
    assert len(content.pages) == 20
    assert "Sheet 0" in content.text
    assert "Sheet 19" not in content.text
    lost = [page.number for page in content.pages if page.why == "damaged page"]
    assert len(lost) == content.dropped["damaged page"] >= 5
    assert 20 in lost
    assert all(page.end == page.start for page in content.pages if page.number in lost)


def test_nothing_left_of_a_truncated_file(path: Path) -> None:
    data = some_pages(20).tobytes()
    path.write_bytes(data[:100])
    with pytest.raises(CorruptFile):
        read_pdf(path, SETTINGS, None)


WHOLE = some_pages(3).tobytes(no_new_id=True)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damage_anywhere_gives_content_or_a_named_error(tmp_path: Path, data: st.DataObject) -> None:
    whole = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 30))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / "damaged.pdf"
    path.write_bytes(whole[: data.draw(st.integers(1, len(whole)))])
    try:
        content = read_pdf(path, SETTINGS, None)
    except LoadError:
        return
    assert content.pages[-1].end == len(content.text)


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        (LoadSettings(max_pages=5), "max_pages"),
        (LoadSettings(max_bytes=900), "max_bytes"),
        (LoadSettings(max_characters=100), "max_characters"),
    ],
)
def test_limits_are_named(path: Path, limits: LoadSettings, named: str) -> None:
    some_pages(9).save(path)
    with pytest.raises(LimitExceeded, match=named):
        read_pdf(path, limits, None)


def test_ten_thousand_pages(path: Path) -> None:
    hundred = pymupdf.open()
    for number in range(100):
        page = hundred.new_page(width=300, height=300)
        page.insert_text((20, 150), f"One of very many sheets, {number % 10}.")
    document = pymupdf.open()
    for _ in range(100):
        document.insert_pdf(hundred)
    document.save(path)
    content = read_pdf(path, SETTINGS, None)
    assert len(content.pages) == 10_000
    assert content.text.count("One of very many sheets") == 10_000


def test_a_stream_that_unpacks_to_far_more_text_than_allowed(path: Path) -> None:
    document = some_pages(1)
    stream = b"BT /helv 8 Tf 1 0 0 1 50 700 Tm " + b"(many words of text) Tj 0 -1 Td\n" * 3000 + b"ET"
    document.update_stream(document[0].get_contents()[0], stream)
    document.save(path, deflate=True)
    assert path.stat().st_size < 10 * len(zlib.compress(stream)) + 4096
    with pytest.raises(LimitExceeded, match="max_characters"):
        read_pdf(path, LoadSettings(max_characters=5_000), None)


def test_names_that_are_no_text_are_read(tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"new\nline-\xff.pdf")
    some_pages(1).save(tmp_path / "plain.pdf")
    (tmp_path / "plain.pdf").rename(odd)
    assert "Sheet 0" in read_pdf(odd, SETTINGS, None).text


@pytest.mark.parametrize("where", range(200, 330, 7))
def test_a_dictionary_cut_in_two_gives_content_or_a_named_error(tmp_path: Path, where: int) -> None:
    path = tmp_path / "m.pdf"
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "The pump turns at 900 rpm.")
        data = bytearray(pdf.tobytes())
    data[where : where + 5] = b"<<]>>"
    path.write_bytes(data)
    try:
        outcome = read_pdf(path, SETTINGS, None).text
    except LoadError as error:
        outcome = error.reason
    assert outcome

"""The real engine on pictures that are typeset here."""

import itertools
import shutil
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pymupdf
import pytest
from ocr_pages import HEIGHT, PUMP, WIDTH, picture, typeset
from treegraph.indexer.errors import (
    ConfigurationError,
    ModelUnavailable,
    PictureUnreadable,
    UnsupportedScript,
)
from treegraph.indexer.loaders.pdf_reading_lines import as_shown
from treegraph.indexer.models.ocr import load_ocr
from treegraph.indexer.models.ocr_models import open_session, shipped_recogniser
from treegraph.indexer.models.ports import PageReader
from treegraph.indexer.models.settings import OcrSettings
from treegraph.indexer.pages import PageBox, PageImage, PageReading


@pytest.fixture(scope="module")
def reader() -> PageReader:
    return load_ocr(OcrSettings())


def texts(reading: PageReading) -> list[str]:
    return [line.text for line in reading.lines]


def shown(reading: PageReading, width: float = WIDTH, height: float = HEIGHT) -> list[pymupdf.Rect]:
    boxes = [as_shown(PageBox(1, *line.box), reading.turned, width, height) for line in reading.lines]
    return [pymupdf.Rect(box.x0, box.y0, box.x1, box.y1) for box in boxes]


def test_lines_are_read_where_they_stand(reader: PageReader) -> None:
    page = typeset(PUMP)
    reading = reader.read(picture(page, number=7))
    assert (reading.number, reading.origin, reading.turned, reading.why) == (7, "ocr", 0.0, "")
    assert texts(reading) == list(PUMP)
    for line, box in zip(PUMP, shown(reading), strict=True):
        where = page.search_for(line)[0]
        assert (where & box).get_area() > 0.8 * where.get_area()
        assert box.get_area() < 2.2 * where.get_area()
    assert reading.confidence is not None
    assert reading.confidence > 0.95
    assert all(0.9 < line.confidence <= 1 for line in reading.lines)


def test_small_print_keeps_its_double_letters(reader: PageReader) -> None:
    page = pymupdf.open().new_page(width=300, height=120)
    lines = (
        "A yellow bottle stops dripping at zero offset",
        "Hall 7700: all off",
        "Press, hold, pull, swivel",
    )
    for index, line in enumerate(lines):
        page.insert_text((40, 40 + 14 * index), line, fontsize=8.5)
    assert texts(reader.read(picture(page))) == list(lines)


@pytest.mark.parametrize(
    ("font", "lines"),
    [
        ("china-s", ("打开盖子之前请关闭阀门。", "机油每工作两千小时更换一次。")),
        ("japan", ("ポンプは四十バールで止まります。", "カバーをあける前にバルブを閉めてください。")),
    ],
)
def test_chinese_and_japanese_are_read_kana_too(reader: PageReader, font: str, lines: Sequence[str]) -> None:
    reading = reader.read(picture(typeset(lines, font)))
    read, written = "".join(texts(reading)), "".join(lines)
    assert len(read) == len(written)
    assert sum(one != other for one, other in zip(read, written, strict=True)) <= 1  # as for a kana's double


@pytest.mark.parametrize("angle", [90, 180, 270, 8, -6])
def test_a_page_that_lies_wrong_is_turned(reader: PageReader, angle: int) -> None:
    side = 420
    page = typeset(PUMP, rotate=angle, width=side, height=side)
    reading = reader.read(picture(page))
    assert texts(reading) == list(PUMP)
    assert abs((reading.turned + angle + 180) % 360 - 180) < 1
    tops = [line.box[1] for line in reading.lines]
    assert all(18 < below - above < 30 for above, below in itertools.pairwise(tops))
    for line, box in zip(PUMP, shown(reading, side, side), strict=True):
        words = [w for w in page.get_text("words") if w[4] == line.split()[1]]
        centres = [pymupdf.Point((w[0] + w[2]) / 2, (w[1] + w[3]) / 2) for w in words]
        assert any(centre in box for centre in centres), line


@pytest.mark.parametrize(
    ("font", "columns"),
    [
        ("japan", ("ポンプは四十バールで止まります。", "油は二千五百時間ごとに交換します。")),
        ("china-s", ("打开盖子之前请关闭阀门。", "机油每工作两千小时更换一次。")),
    ],
)
def test_columns_are_read_from_top_to_bottom_and_right_to_left(
    reader: PageReader, font: str, columns: Sequence[str]
) -> None:
    page = pymupdf.open().new_page(width=200, height=330)
    for number, column in enumerate(columns):
        for index, sign in enumerate(column):
            corner = 8 if sign == "。" else 0
            at = (130 - 26 * number + corner, 50 + 15 * index - corner)
            page.insert_text(at, sign, fontsize=13, fontname=font)
    reading = reader.read(picture(page))
    # The stop at the foot of a column is small enough to be left out.
    read, written = "".join(texts(reading)).replace("。", ""), "".join(columns).replace("。", "")
    assert len(read) == len(written)
    assert sum(one != other for one, other in zip(read, written, strict=True)) <= 1
    assert (reading.turned, reading.why) == (-90.0, "vertical text")
    right, left = shown(reading, 200, 330)
    assert right.x0 > left.x1 - 8
    assert right.height > 10 * right.width


def test_a_blank_page_is_an_empty_reading(reader: PageReader) -> None:
    reading = reader.read(picture(typeset(())))
    assert (reading.lines, reading.confidence) == ((), None)
    assert reading.why == "no text in its picture"


@pytest.mark.parametrize(
    ("font", "lines"),
    [
        (
            "korea",
            ("덮개를 열기 전에 밸브를 닫으십시오.", "펌프는 사십 바에서 멈춥니다.", "오일을 교환하십시오."),
        ),
        (
            "china-s",
            ("Насос должен быть остановлен.", "Проверьте давление масла.", "Замените фильтр сейчас."),
        ),
    ],
)
def test_what_the_model_cannot_read_is_named_not_stored(
    reader: PageReader, font: str, lines: Sequence[str]
) -> None:
    reading = reader.read(picture(typeset(lines, font)))
    assert reading.lines == ()
    assert reading.why == "unsupported script in 3 of 3 lines"


def test_the_rest_of_such_a_page_is_kept(reader: PageReader) -> None:
    page = typeset(("덮개를 열기 전에 밸브를 닫으십시오.", "펌프는 사십 바에서 멈춥니다."), "korea")
    page.insert_text((60, 140), "heron-ctl stops the pump of the station")
    reading = reader.read(picture(page))
    assert texts(reading) == ["heron-ctl stops the pump of the station"]
    assert reading.why == "unsupported script in 2 of 3 lines"
    assert reading.confidence is not None
    assert reading.confidence < 0.5


def test_equal_pictures_are_read_alike_on_any_thread(reader: PageReader) -> None:
    image = picture(typeset(PUMP[:2]))
    assert reader.concurrency >= 1
    with ThreadPoolExecutor(4) as pool:
        readings = list(pool.map(reader.read, [image] * 4))
    assert all(reading == readings[0] for reading in readings)


def test_nothing_is_fetched_printed_or_logged(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    with caplog.at_level(0):
        reading = load_ocr(OcrSettings(side=640)).read(picture(typeset(PUMP[:1])))
    assert texts(reading) == [PUMP[0]]
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []


def test_a_picture_that_is_none_is_a_failed_call(reader: PageReader) -> None:
    with pytest.raises(PictureUnreadable, match="page 3 is no image"):
        reader.read(PageImage(3, b"\x89PNG and no more", 10, 10, 150, "x"))


def test_a_language_without_a_model_says_which_to_give() -> None:
    with pytest.raises(UnsupportedScript, match=r'"ko" = "PATH/korean_\S+\.onnx"` under `\[ocr\.models\]`'):
        load_ocr(OcrSettings(languages=("en", "ko")))
    with pytest.raises(UnsupportedScript, match="cyrillic_"):
        load_ocr(OcrSettings(languages=("ru",)))
    assert issubclass(UnsupportedScript, ModelUnavailable)


def test_without_chinese_and_japanese_their_signs_are_not_seen(reader: PageReader) -> None:
    german = load_ocr(OcrSettings(languages=("de", "en")))
    page = typeset(("Die Pumpe läuft über eine Größe hinaus.", "Prüfen Sie täglich den Öldruck."))
    page.insert_text((60, 140), "打开盖子之前请关闭阀门", fontname="china-s")
    read, all_read = german.read(picture(page)), reader.read(picture(page))
    assert texts(read)[:2] == texts(all_read)[:2]
    assert texts(all_read)[:2] == [
        "Die Pumpe läuft über eine Größe hinaus.",
        "Prüfen Sie täglich den Öldruck.",
    ]
    assert len(read.lines) == 2
    assert len(all_read.lines) == 3
    assert german.name != reader.name


def test_models_of_ones_own_are_used_with_their_keys(tmp_path: Path, reader: PageReader) -> None:
    import onnx

    shipped = shipped_recogniser()
    keys = open_session(shipped).get_modelmeta().custom_metadata_map["character"]
    model = onnx.load(str(shipped.path))
    del model.metadata_props[:]
    own = tmp_path / "own_rec.onnx"
    onnx.save(model, str(own))
    settings = OcrSettings(languages=("ko",), models={"ko": str(own)})
    with pytest.raises(ModelUnavailable, match=r"own_rec\.txt"):
        load_ocr(settings)
    own.with_suffix(".txt").write_text(keys, "utf-8")
    other = load_ocr(settings)
    assert texts(other.read(picture(typeset(PUMP[:2])))) == list(PUMP[:2])
    assert "own_rec" in other.name
    assert other.name != reader.name


def test_a_model_file_that_is_missing_or_broken_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"no\.onnx"):
        load_ocr(OcrSettings(models={"ko": str(tmp_path / "no.onnx")}))
    broken = tmp_path / "broken.onnx"
    shutil.copyfile(__file__, broken)
    with pytest.raises(ModelUnavailable, match=r"broken\.onnx is not a usable ONNX model"):
        load_ocr(OcrSettings(models={"ko": str(broken)}))


@pytest.mark.parametrize(
    "wrong",
    [{"languages": ()}, {"dpi": 10}, {"side": 99_999}, {"threads": -1}, {"min_confidence": 1.0}],
)
def test_settings_out_of_range_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match=rf"\[ocr\] {next(iter(wrong))}"):
        OcrSettings(**wrong)  # type: ignore[arg-type]

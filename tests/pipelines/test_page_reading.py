"""Pages read from their pictures: once each, side by side, and what is done where that fails."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from page_pictures import scanned_pdf
from scripted_reader import Say, ScriptedReader
from treegraph.indexer.errors import (
    BudgetSpent,
    Cancelled,
    CorruptFile,
    ModelCallError,
    PictureUnreadable,
    UnusablePage,
)
from treegraph.indexer.loaders.child import ParserPool
from treegraph.indexer.loaders.media import PDF
from treegraph.indexer.loaders.settings import LoadSettings
from treegraph.indexer.pages import Origin, PageImage, Wanted
from treegraph.indexer.stores.ledger import Ledger
from treegraph.indexer.stores.ledger_readings import ReadingLedger
from treegraph.pipelines.config import Config
from treegraph.pipelines.events import Event
from treegraph.pipelines.loading_models import Models
from treegraph.pipelines.page_readers import Eye, PageReaders
from treegraph.pipelines.page_reading import PagePictures
from treegraph.pipelines.stage_clock import StageClock

WHY = "an image without text"


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scanned_pdf(
        tmp_path_factory.mktemp("scan") / "scan.pdf", [(f"page {n}",) for n in range(4)], dpi=40
    )


@pytest.fixture(scope="module")
def pool() -> Iterator[ParserPool]:
    with ParserPool(LoadSettings()) as pool:
        yield pool


class Desk:
    """What a build has at hand: readers by way, a ledger, a clock; and what it was told."""

    def __init__(self, pool: ParserPool, path: Path, folder: Path) -> None:
        self.ledger = Ledger(folder, create=True)
        self.clock = StageClock()
        self.events: list[Event] = []
        self.cancel = threading.Event()
        self._pool, self._path = pool, path
        self._eyes: dict[Origin, Eye | None] = {"ocr": None, "native": None}

    def reader(self, way: Origin, say: Say, name: str = "scripted-1") -> ScriptedReader:
        reader = ScriptedReader(say, name)
        self._eyes[way] = Eye(way, reader, 40)
        return reader

    def pictures(self) -> PagePictures:
        readers = PageReaders(Config(), Models(Config()))
        readers.eye = lambda way: self._eyes[way]  # type: ignore[method-assign]
        return PagePictures(readers, ReadingLedger(self.ledger), self.clock, self.events.append, self.cancel)

    def draw(self, number: int, eye: Eye) -> PageImage:
        return self._pool.draw(self._path, PDF, number, eye.dpi)


@pytest.fixture
def desk(pool: ParserPool, scan: Path, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(pool, scan, tmp_path)
    yield desk
    desk.ledger.close()


def wanted(way: Origin, *numbers: int) -> Sequence[Wanted]:
    return [Wanted(number, way, WHY) for number in numbers]


def says(number: int) -> str:
    return f"what page {number} says"


def test_each_page_is_read_and_told(desk: Desk) -> None:
    reader = desk.reader("ocr", says)
    read = desk.pictures().read("m/scan.pdf", desk.draw, wanted("ocr", 1, 3))
    assert [(r.number, r.origin, r.lines[0].text, r.confidence) for r in read.readings] == [
        (1, "ocr", "what page 1 says", 0.9),
        (3, "ocr", "what page 3 says", 0.9),
    ]
    assert read.left == ()
    assert sorted(reader.read_pages) == [1, 3]
    told = [(event.stage, event.done, event.total, event.unit) for event in desk.events]
    assert told == [("ocr", n, 2, "pages") for n in range(3)]
    assert {"ocr"} == set(desk.clock.seconds)


def test_a_picture_is_read_once_by_a_reader(desk: Desk) -> None:
    first = desk.reader("ocr", says)
    before = desk.pictures().read("m/scan.pdf", desk.draw, wanted("ocr", 1, 2))
    again = desk.reader("ocr", says)
    assert desk.pictures().read("m/scan.pdf", desk.draw, wanted("ocr", 1, 2)) == before
    other = desk.reader("ocr", says, "scripted-2")
    desk.pictures().read("m/scan.pdf", desk.draw, wanted("ocr", 2))
    assert (len(first.read_pages), again.read_pages, other.read_pages) == (2, [], [2])


def test_what_no_page_is_read_by_any_more_goes_and_another_reader_s_stays(desk: Desk) -> None:
    paid, free = desk.reader("native", says, "native-1"), desk.reader("ocr", says)
    desk.pictures().read("m/scan.pdf", desk.draw, wanted("native", 1, 2))
    desk.pictures().read("m/scan.pdf", desk.draw, wanted("ocr", 1, 2))
    desk.pictures().read("m/scan.pdf", desk.draw, wanted("ocr", 1))
    assert _kept(desk) == {("m/scan.pdf", "native-1"): 2, ("m/scan.pdf", "scripted-1"): 1}
    desk.pictures().read("m/scan.pdf", desk.draw, wanted("native", 1, 2))
    assert (len(paid.read_pages), len(free.read_pages)) == (2, 2)


def test_nothing_is_forgotten_of_pages_that_cannot_be_drawn_for_now(desk: Desk) -> None:
    def draw(number: int, eye: Eye) -> PageImage:
        if number == 2:
            raise CorruptFile("page 2 cannot be drawn")
        return desk.draw(number, eye)

    paid = desk.reader("native", says, "native-1")
    for drawn in (desk.draw, draw, desk.draw):
        desk.pictures().read("m/scan.pdf", drawn, wanted("native", 1, 2))
    assert sorted(paid.read_pages) == [1, 2]


def test_a_copy_lives_on_readings_of_its_own(desk: Desk) -> None:
    reader = desk.reader("native", says, "native-1")
    for source in ("m/a.pdf", "m/b.pdf"):
        desk.pictures().read(source, desk.draw, wanted("native", 1, 2))
    desk.pictures().read("m/a.pdf", desk.draw, wanted("native", 3))
    assert _kept(desk) == {("m/a.pdf", "native-1"): 1, ("m/b.pdf", "native-1"): 2}
    desk.pictures().read("m/b.pdf", desk.draw, wanted("native", 1, 2))
    assert sorted(reader.read_pages) == [1, 2, 3]


def _kept(desk: Desk) -> Counter[tuple[str, str]]:
    return Counter(tuple(row) for row in desk.ledger.rows("SELECT source, reader FROM readings"))


def slowly(number: int) -> str:
    time.sleep(0.2)
    return says(number)


def test_pages_are_read_side_by_side_but_no_more_than_the_reader_takes(desk: Desk) -> None:
    reader = desk.reader("ocr", slowly)
    desk.pictures().read("m/scan.pdf", desk.draw, wanted("ocr", 1, 2, 3, 4))
    assert reader.most == 2


def refuses(number: int) -> str:
    raise UnusablePage(f"page {number}: it refused", "a refusal")


def fails(number: int) -> str:
    raise ModelCallError(f"page {number}: 429")


def is_spent(number: int) -> str:
    raise BudgetSpent("no more")


def test_what_fails_natively_goes_to_ocr_and_then_to_the_text_layer(desk: Desk) -> None:
    desk.reader("native", refuses, "native-1")
    desk.reader("ocr", lambda number: says(number) if number == 1 else fails(number))
    pictures = desk.pictures()
    by_ocr, by_text = pictures.read("m/scan.pdf", desk.draw, wanted("native", 1, 2)).readings
    assert (by_ocr.origin, by_ocr.why) == ("ocr", "native failed: a refusal")
    assert (by_text.origin, by_text.lines) == ("text", ())
    assert by_text.why == f"{WHY}; native failed: a refusal; ocr failed: model call error"
    assert pictures.failed == {
        "page not read by native: a refusal": 2,
        "page not read by ocr: model call error": 1,
    }


def test_a_page_whose_text_layer_is_sound_falls_back_to_that(desk: Desk) -> None:
    desk.reader("native", refuses, "native-1")
    ocr = desk.reader("ocr", says)
    pages = [Wanted(1, "native", "a figure or chart"), Wanted(2, "native", "asked for")]
    read = desk.pictures().read("m/scan.pdf", desk.draw, pages).readings
    assert [(reading.origin, reading.why) for reading in read] == [
        ("text", "a figure or chart; native failed: a refusal"),
        ("text", "asked for; native failed: a refusal"),
    ]
    assert ocr.read_pages == []


def test_what_may_succeed_another_day_is_left_for_another_build(desk: Desk) -> None:
    desk.reader("ocr", says)
    for say, left in ((refuses, []), (fails, [1]), (is_spent, [1])):
        desk.reader("native", say, f"native-{say.__name__}")
        read = desk.pictures().read("m/scan.pdf", desk.draw, wanted("native", 1))
        assert [page.number for page in read.left] == left, say
        assert read.readings[0].origin == "ocr"


def test_what_a_model_would_do_again_is_not_paid_for_again(desk: Desk) -> None:
    for _ in range(2):
        refusing = desk.reader("native", refuses, "native-1")
        busy = desk.reader("ocr", says)
        read = desk.pictures().read("m/scan.pdf", desk.draw, wanted("native", 1))
        assert read.readings[0].why == "native failed: a refusal"
    assert (refusing.read_pages, busy.read_pages) == ([], [])
    desk.reader("native", fails, "native-2")
    desk.pictures().read("m/scan.pdf", desk.draw, wanted("native", 1))
    recovered = desk.reader("native", says, "native-2")
    desk.pictures().read("m/scan.pdf", desk.draw, wanted("native", 1))
    assert recovered.read_pages == [1]


def is_no_picture(number: int) -> str:
    raise PictureUnreadable(f"page {number}: no picture")


def test_of_ocr_too_only_what_would_fail_again_is_kept(desk: Desk) -> None:
    for says_first, left, read_again in ((fails, [1], [1]), (is_no_picture, [], [])):
        name = f"ocr-{says_first.__name__}"
        desk.reader("ocr", says_first, name)
        read = desk.pictures().read("m/scan.pdf", desk.draw, wanted("ocr", 1))
        assert ([page.number for page in read.left], read.readings[0].origin) == (left, "text"), name
        again = desk.reader("ocr", says, name)
        read = desk.pictures().read("m/scan.pdf", desk.draw, wanted("ocr", 1))
        assert (again.read_pages, read.left) == (read_again, ()), name


def test_a_page_that_cannot_be_drawn_stays_by_its_text_layer(desk: Desk) -> None:
    reader = desk.reader("ocr", says)

    def draw(number: int, eye: Eye) -> PageImage:
        if number == 2:
            raise CorruptFile("page 2 cannot be drawn")
        return desk.draw(number, eye)

    one, two = desk.pictures().read("m/scan.pdf", draw, wanted("ocr", 1, 2)).readings
    assert (one.origin, two.origin, reader.read_pages) == ("ocr", "text", [1])
    assert two.why == f"{WHY}; ocr failed: corrupt file"


def test_what_was_read_before_a_stop_is_kept(desk: Desk) -> None:
    def stops(number: int) -> str:
        desk.cancel.set()
        return says(number)

    first = desk.reader("ocr", stops)
    first.concurrency = 1
    with pytest.raises(Cancelled, match="are kept"):
        desk.pictures().read("m/scan.pdf", desk.draw, wanted("ocr", 1, 2, 3, 4))
    assert first.read_pages == [1]
    desk.cancel.clear()
    second = desk.reader("ocr", says)
    read = desk.pictures().read("m/scan.pdf", desk.draw, wanted("ocr", 1, 2, 3, 4))
    assert sorted(second.read_pages) == [2, 3, 4]
    assert [reading.lines[0].text for reading in read.readings] == [says(n) for n in (1, 2, 3, 4)]


def test_a_stop_waits_for_no_model_and_nothing_comes_of_its_answer_later(desk: Desk) -> None:
    answer, answered = threading.Event(), threading.Event()

    def hangs(number: int) -> str:
        desk.cancel.set()
        answer.wait(30)
        answered.set()
        return says(number)

    model = desk.reader("native", hangs, "native-1")
    ocr = desk.reader("ocr", says)
    begun = time.monotonic()
    with pytest.raises(Cancelled, match="are kept"):
        desk.pictures().read("m/scan.pdf", desk.draw, wanted("native", 1, 2, 3, 4))
    assert time.monotonic() - begun < 10
    told = len(desk.events)
    answer.set()
    assert answered.wait(10)
    for thread in threading.enumerate():
        if thread.name.startswith("treegraph-pages"):
            thread.join(10)
    assert (len(desk.events), _kept(desk), ocr.read_pages) == (told, {}, [])
    assert len(model.read_pages) <= 2


def test_a_stop_lets_ocr_end_with_its_page(desk: Desk) -> None:
    def takes_a_second(number: int) -> str:
        desk.cancel.set()
        time.sleep(1)
        return says(number)

    desk.reader("ocr", takes_a_second).concurrency = 1
    with pytest.raises(Cancelled):
        desk.pictures().read("m/scan.pdf", desk.draw, wanted("ocr", 1, 2))
    assert _kept(desk) == {("m/scan.pdf", "scripted-1"): 1}

"""Parsing in child processes: answers and errors come back, limits kill, nothing is left behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psutil
import pymupdf
import pytest
from treegraph.indexer.errors import (
    CorruptFile,
    EmptyFile,
    EncryptedFile,
    LimitExceeded,
    LoadError,
    NoText,
    UnreadableFile,
    UnsupportedType,
)
from treegraph.indexer.loaders.child import ParserPool
from treegraph.indexer.loaders.pdf import read_pdf
from treegraph.indexer.loaders.settings import LoadSettings

PDF = "application/pdf"
MIB = 1024**2


@pytest.fixture(scope="module")
def pool() -> Iterator[ParserPool]:
    with ParserPool(LoadSettings()) as pool:
        yield pool


def manual(path: Path, text: str = "The pump has two valves.") -> Path:
    document = pymupdf.open()
    document.new_page().insert_text((72, 200), text)
    document.save(path)
    return path


def slow_manual(path: Path) -> Path:
    """A small file whose forms draw each other ten times over, ten levels deep."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 200), "Text")
    below = None
    for _ in range(11):
        form = document.get_new_xref()
        inner = f"<</XObject<</X {below} 0 R>>>>" if below else "<<>>"
        document.update_object(form, f"<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources{inner}>>")
        document.update_stream(form, b"/X Do " * 10 if below else b"0 0 m 9 9 l S ")
        below = form
    document.xref_set_key(page.xref, "Resources", f"<</XObject<</X {below} 0 R>>>>")
    document.update_stream(page.get_contents()[0], b"/X Do ")
    document.save(path)
    return path


def huge_manual(path: Path) -> Path:
    """A small file that unpacks to many millions of letters on one page."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 200), "Text")
    row = b"1 0 0 1 40 %d Tm (" + b"all the words of one very long line " * 3 + b") Tj\n"
    rows = b"".join(row % (40 + number % 700) for number in range(700))
    document.update_stream(page.get_contents()[0], b"BT /helv 2 Tf " + rows * 250 + b"ET")
    document.save(path, deflate=True)
    assert path.stat().st_size < MIB
    return path


def children() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if is_parser(child)]


def is_parser(process: psutil.Process) -> bool:
    try:
        return any("child_main" in part for part in process.cmdline())
    except psutil.Error:
        return False


def wait_until(happened: object, seconds: float = 10.0) -> bool:
    assert callable(happened)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if happened():
            return True
        time.sleep(0.02)
    return False


def test_the_answer_is_that_of_the_loader(pool: ParserPool, tmp_path: Path) -> None:
    path = manual(tmp_path / "a.pdf")
    assert pool.parse(path, PDF) == read_pdf(path, LoadSettings(), None)


def test_other_types_are_read_too(pool: ParserPool, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Plain words.\n")
    assert "Plain words." in pool.parse(path, "text/plain").text


@pytest.mark.parametrize(
    ("data", "media_type", "error"),
    [
        (b"", PDF, EmptyFile),
        (b"%PDF-1.4 and nothing more", PDF, CorruptFile),
        (b"words", "application/x-unheard-of", UnsupportedType),
        (None, PDF, UnreadableFile),
    ],
)
def test_errors_come_back_with_their_class_and_words(
    pool: ParserPool, tmp_path: Path, data: bytes | None, media_type: str, error: type[LoadError]
) -> None:
    path = tmp_path / "bad.pdf"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(error) as raised:
        pool.parse(path, media_type)
    assert type(raised.value) is error
    assert str(raised.value)


def test_the_words_of_an_error_are_those_of_the_loader(pool: ParserPool, tmp_path: Path) -> None:
    path = tmp_path / "blank.pdf"
    document = pymupdf.open()
    document.new_page()
    document.save(path)
    with pytest.raises(NoText) as here:
        read_pdf(path, LoadSettings(), None)
    with pytest.raises(NoText) as there:
        pool.parse(path, PDF)
    assert str(there.value) == str(here.value)


def test_a_password_shows_nowhere(pool: ParserPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANUAL_PASSWORD", "very-secret-17")
    path = tmp_path / "locked.pdf"
    document = pymupdf.open()
    document.new_page().insert_text((72, 200), "Locked words.")
    document.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="o", user_pw="very-secret-17")
    with ParserPool(LoadSettings()) as fresh:
        assert "Locked words." in fresh.parse(path, PDF, "very-secret-17").text
        (child,) = [process for process in children() if process.pid not in before(pool)]
        assert "very-secret-17" not in " ".join(child.cmdline())
        assert "very-secret-17" not in child.environ().values()
        with pytest.raises(EncryptedFile) as error:
            fresh.parse(path, PDF, "very-wrong-18")
    assert "very-wrong-18" not in str(error.value)


def before(pool: ParserPool) -> set[int]:
    """The processes of the pool that all tests share."""
    return {child._process._popen.pid for child in pool._children if child._process}


def test_nothing_is_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cut.pdf"
    data = manual(tmp_path / "whole.pdf").read_bytes()
    path.write_bytes(data[:-60])
    with ParserPool(LoadSettings()) as fresh:
        fresh.parse(path, PDF)
    assert capfd.readouterr() == ("", "")


def test_too_many_seconds_end_the_child_and_the_next_file_is_read(tmp_path: Path) -> None:
    slow, good = slow_manual(tmp_path / "slow.pdf"), manual(tmp_path / "good.pdf")
    with ParserPool(LoadSettings(max_seconds=1.5)) as fresh:
        fresh.parse(good, PDF)
        started = time.monotonic()
        with pytest.raises(LimitExceeded, match="max_seconds"):
            fresh.parse(slow, PDF)
        assert time.monotonic() - started < 5
        assert "two valves" in fresh.parse(good, PDF).text


def test_too_much_memory_ends_the_child_and_the_next_file_is_read(tmp_path: Path) -> None:
    huge, good = huge_manual(tmp_path / "huge.pdf"), manual(tmp_path / "good.pdf")
    with ParserPool(LoadSettings(max_memory=200 * MIB)) as fresh:
        with pytest.raises(LimitExceeded, match="max_memory"):
            fresh.parse(huge, PDF)
        assert "two valves" in fresh.parse(good, PDF).text


def test_too_many_bytes(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("word " * 1000)
    with ParserPool(LoadSettings(max_bytes=4000)) as fresh, pytest.raises(LimitExceeded, match="max_bytes"):
        fresh.parse(path, "text/plain")


def test_too_many_characters_of_any_type(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("word " * 1000)
    limits = LoadSettings(max_characters=4000)
    with ParserPool(limits) as fresh, pytest.raises(LimitExceeded, match="max_characters"):
        fresh.parse(path, "text/plain")


@contextmanager
def parsing(pool: ParserPool, path: Path) -> Iterator[tuple[psutil.Process, list[LoadError]]]:
    """A thread that parses ``path`` in a new child: that child, and the error that will come of it."""
    known = {child.pid for child in children()}
    errors: list[LoadError] = []

    def parse() -> None:
        try:
            pool.parse(path, PDF)
        except LoadError as error:
            errors.append(error)

    thread = threading.Thread(target=parse)
    thread.start()
    assert wait_until(lambda: [child for child in children() if child.pid not in known])
    (child,) = [child for child in children() if child.pid not in known]
    assert wait_until(lambda: child.cpu_times().user > 0.5)
    yield child, errors
    thread.join(timeout=10)
    assert not thread.is_alive()


def test_a_crash_is_the_fault_of_the_file_and_the_next_one_is_read(tmp_path: Path) -> None:
    with ParserPool(LoadSettings()) as fresh:
        with parsing(fresh, slow_manual(tmp_path / "crash.pdf")) as (child, errors):
            child.send_signal(signal.SIGSEGV)
        assert isinstance(errors[0], CorruptFile)
        assert "crash.pdf crashed its parser (SIGSEGV)" in str(errors[0])
        assert "two valves" in fresh.parse(manual(tmp_path / "good.pdf"), PDF).text


def test_a_child_that_dies_between_files_is_replaced(tmp_path: Path) -> None:
    path = manual(tmp_path / "a.pdf")
    with ParserPool(LoadSettings()) as fresh:
        known = {child.pid for child in children()}
        fresh.parse(path, PDF)
        (child,) = [child for child in children() if child.pid not in known]
        child.kill()
        assert wait_until(lambda: child.status() == psutil.STATUS_ZOMBIE)
        assert "two valves" in fresh.parse(path, PDF).text


def test_interrupts_are_the_parents_business(tmp_path: Path) -> None:
    with ParserPool(LoadSettings(max_seconds=2.5)) as fresh:
        with parsing(fresh, slow_manual(tmp_path / "slow.pdf")) as (child, errors):
            child.send_signal(signal.SIGINT)
            time.sleep(0.2)
            assert child.is_running()
        assert isinstance(errors[0], LimitExceeded)


def test_closing_stops_what_is_being_parsed(tmp_path: Path) -> None:
    fresh = ParserPool(LoadSettings())
    with parsing(fresh, slow_manual(tmp_path / "slow.pdf")) as (child, errors):
        started = time.monotonic()
        fresh.close()
    assert time.monotonic() - started < 2
    assert type(errors[0]) is LoadError
    assert not child.is_running()
    with pytest.raises(LoadError, match="stopped"):
        fresh.parse(manual(tmp_path / "a.pdf"), PDF)


def test_several_threads_share_the_children(tmp_path: Path) -> None:
    paths = [manual(tmp_path / f"{number}.pdf", f"Sheet of file {number}.") for number in range(12)]
    with ParserPool(LoadSettings(), workers=2) as fresh, ThreadPoolExecutor(6) as threads:
        contents = list(threads.map(lambda path: fresh.parse(path, PDF), paths))
    assert [content.text for content in contents] == [f"Sheet of file {number}." for number in range(12)]


def test_no_process_and_no_descriptor_is_left(tmp_path: Path) -> None:
    path = manual(tmp_path / "a.pdf")
    process = psutil.Process()
    open_before, known = process.num_fds(), {child.pid for child in children()}
    for _ in range(2):
        with ParserPool(LoadSettings()) as fresh:
            fresh.parse(path, PDF)
    assert wait_until(lambda: {child.pid for child in children()} <= known)
    assert process.num_fds() <= open_before


def test_children_die_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    slow = slow_manual(tmp_path / "slow.pdf")
    script = (
        "import sys, threading, time\n"
        "from pathlib import Path\n"
        "from treegraph.indexer.loaders.child import ParserPool\n"
        "from treegraph.indexer.loaders.settings import LoadSettings\n"
        "pool = ParserPool(LoadSettings())\n"
        "pool.parse(Path(sys.argv[1]), 'application/pdf')\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script, str(slow)])
    watched = psutil.Process(parent.pid)
    assert wait_until(watched.children)
    (child,) = watched.children()
    assert wait_until(lambda: child.cpu_times().user > 0.5)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    assert wait_until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE, 5)


def test_importing_the_pool_loads_no_parser() -> None:
    script = "import sys, treegraph.indexer.loaders.child; print('pymupdf' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"

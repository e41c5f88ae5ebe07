"""The walk: every file once, in order, and a reason for each that is left out."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from treegraph.indexer.errors import (
    BadMetadata,
    ConfigurationError,
    FileChanged,
    SourceUnreadable,
    UnreadableFile,
)
from treegraph.indexer.sources import Walk, parse_roots, read_stable, unescape_name, walk


def tree(base: Path, *names: str) -> None:
    for name in names:
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def sources(found: Walk) -> list[str]:
    return [file.source for file in found.files]


def test_files_in_order_with_what_is_left_out_counted(tmp_path: Path) -> None:
    tree(tmp_path, "m/b.pdf", "m/a.pdf", "m/sub/c.md", "m/.hidden.md", "m/.git/config", "m/build/x.html")
    tree(tmp_path, "m/treegraph.toml", "m/my.index/index.toml", "m/my.index/ledger.db", "m/skip.log")
    os.mkfifo(tmp_path / "m/pipe")
    found = walk(parse_roots(["m"], tmp_path), ["build/", "*.log"])
    assert sources(found) == ["m/a.pdf", "m/b.pdf", "m/sub/c.md"]
    assert found.ignored == {
        "an index": 1,
        "hidden": 2,
        "ignore pattern": 2,
        "not a regular file": 1,
        "settings of treegraph": 1,
    }
    assert found.problems == []
    first = found.files[0]
    status = first.path.stat()
    assert (first.root, first.size, first.mtime_ns, first.inode) == (
        "m",
        7,
        status.st_mtime_ns,
        status.st_ino,
    )


def test_ignore_files_work_as_in_git(tmp_path: Path) -> None:
    tree(tmp_path, "m/a.txt", "m/keep.txt", "m/sub/a.txt", "m/sub/deep/a.txt", "m/.wanted.md", "m/x/y.bin")
    (tmp_path / "m/.treegraphignore").write_text("# text\n*.txt\n!keep.txt\n!.wanted.md\n")
    (tmp_path / "m/sub/.treegraphignore").write_text("!/a.txt\n")
    found = walk(parse_roots(["m"], tmp_path), ["*.bin"])
    assert sources(found) == ["m/.wanted.md", "m/keep.txt", "m/sub/a.txt"]
    with pytest.raises(ConfigurationError, match="not an ignore pattern"):
        walk(parse_roots(["m"], tmp_path), ["!"])


def test_globs_take_matching_files_and_whole_matching_folders(tmp_path: Path) -> None:
    tree(tmp_path, "m/a.pdf", "m/b.md", "m/v1/c.pdf", "m/v1/d.md", "m/v2/deep/e.md")

    def under(pattern: str) -> list[str]:
        return sources(walk(parse_roots([pattern], tmp_path)))

    assert under("m/*.pdf") == ["m/a.pdf"]
    assert under("m/**/*.pdf") == ["m/a.pdf", "m/v1/c.pdf"]
    assert under("m/v[12]") == ["m/v1/c.pdf", "m/v1/d.md", "m/v2/deep/e.md"]
    assert under("m/*/*.md") == ["m/v1/d.md"]
    assert under("m/**") == ["m/a.pdf", "m/b.md", "m/v1/c.pdf", "m/v1/d.md", "m/v2/deep/e.md"]
    assert under("m/*.docx") == []


def test_links_are_followed_once_and_loops_are_named(tmp_path: Path) -> None:
    tree(tmp_path, "m/z/real.md", "elsewhere/far.md")
    (tmp_path / "m/a-link").symlink_to(tmp_path / "m/z")
    (tmp_path / "m/a-file.md").symlink_to(tmp_path / "m/z/real.md")
    (tmp_path / "m/far").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "m/z/up").symlink_to(tmp_path / "m")
    (tmp_path / "m/self").symlink_to("self")
    (tmp_path / "m/broken").symlink_to("nothing")
    found = walk(parse_roots(["m"], tmp_path))
    assert sources(found) == ["m/far/far.md", "m/z/real.md"]
    assert found.ignored == {"reached another way": 2}
    assert [source for source, _ in found.problems] == ["m/broken", "m/self", "m/z/up"]
    assert all(isinstance(error, UnreadableFile) for _, error in found.problems)
    # A link that leads nowhere may be a disk that is not mounted: what was below it is not gone.
    assert found.unreadable == ["m/broken/", "m/self/"]


def test_overlapping_roots_the_first_owns_and_hard_links_are_files_of_their_own(tmp_path: Path) -> None:
    tree(tmp_path, "m/sub/a.md", "m/b.md")
    os.link(tmp_path / "m/b.md", tmp_path / "m/c.md")
    found = walk(parse_roots(["m/sub", "m"], tmp_path))
    assert sources(found) == ["m/b.md", "m/c.md", "sub/a.md"]
    assert found.ignored == {"reached another way": 1}
    (tmp_path / "link.md").symlink_to(tmp_path / "m/b.md")
    assert sources(walk(parse_roots(["m/b.md", "link.md"], tmp_path))) == ["b.md"]


def test_odd_names_become_text_that_leads_back_to_the_file(tmp_path: Path) -> None:
    names = [b"new\nline.md", b"latin-\xe9.md", b"caf\xc3\xa9.md", b"50%41.md", b"tab\t.md"]
    folder = tmp_path / "m"
    folder.mkdir()
    for name in names:
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_text("x")
    found = walk(parse_roots(["m"], tmp_path))
    assert "m/new%0Aline.md" in sources(found)
    assert "m/latin-%E9.md" in sources(found)
    assert len(set(sources(found))) == len(names)
    for file in found.files:
        file.source.encode("utf-8")
        assert unescape_name(file.source.partition("/")[2]) == file.path.name
        assert len(read_stable(file.path, file)) == 64


def test_sidecars_are_found_and_orphans_named(tmp_path: Path) -> None:
    tree(
        tmp_path,
        "m/a.pdf",
        "m/a.html",
        "m/b.pdf",
        "m/a.meta.toml",
        "m/a.pdf.meta.toml",
        "m/gone.pdf.meta.toml",
    )
    found = walk(parse_roots(["m"], tmp_path))
    beside = {file.source: file.sidecar and file.sidecar.name for file in found.files}
    assert beside == {"m/a.html": "a.meta.toml", "m/a.pdf": "a.pdf.meta.toml", "m/b.pdf": None}
    [(source, error)] = found.problems
    assert source == "m/gone.pdf.meta.toml"
    assert isinstance(error, BadMetadata)
    assert "gone.pdf" in str(error)
    single = walk(parse_roots(["m/a.html"], tmp_path)).files[0]
    assert single.sidecar == tmp_path / "m/a.meta.toml"


def test_a_benchmark_folder_is_its_corpus(tmp_path: Path) -> None:
    tree(tmp_path, "s/queries.jsonl", "s/qrels/test.tsv", "s/README.md", "s/documents.jsonl", "s/more/a.md")
    (tmp_path / "s/corpus.jsonl").write_text('{"_id": "a#0", "text": "x"}\n')
    found = walk(parse_roots(["s"], tmp_path))
    assert sources(found) == ["s/corpus.jsonl", "s/more/a.md"]
    assert found.ignored == {"beside corpus.jsonl": 4}
    companion = found.files[0].companion
    assert companion is not None
    assert companion.path == tmp_path / "s/documents.jsonl"
    assert sources(walk(parse_roots(["s/queries.jsonl"], tmp_path))) == ["queries.jsonl"]


def test_documents_of_pre_cut_records_are_not_sources_themselves(tmp_path: Path) -> None:
    tree(tmp_path, "s/documents.jsonl")
    (tmp_path / "s/parts.jsonl").write_text('{"_id": "a#0", "text": "x"}\n')
    assert sources(walk(parse_roots(["s"], tmp_path))) == ["s/parts.jsonl"]
    (tmp_path / "s/parts.jsonl").write_text('{"_id": "a", "text": "x"}\n')
    assert sources(walk(parse_roots(["s"], tmp_path))) == ["s/documents.jsonl", "s/parts.jsonl"]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user can reach, for tests that give up their privileges."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        for path in folder.rglob("*"):
            if not path.is_symlink() and path.is_dir():
                path.chmod(0o755)


@pytest.fixture
def unprivileged() -> Iterator[None]:
    """The superuser may read everything, so be someone else for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def locked(folder: Path) -> Path:
    tree(folder, "m/open/a.md", "m/shut/b.md")
    (folder / "m/shut").chmod(0)
    return folder


def test_an_unreadable_folder_is_named_and_known_to_be_unknown(
    open_folder: Path, request: pytest.FixtureRequest
) -> None:
    base = locked(open_folder)
    request.getfixturevalue("unprivileged")
    found = walk(parse_roots(["m"], base))
    assert sources(found) == ["m/open/a.md"]
    assert found.unreadable == ["m/shut/"]
    [(source, error)] = found.problems
    assert source == "m/shut"
    assert "Permission denied" in str(error)
    with pytest.raises(SourceUnreadable, match="shut"):
        parse_roots(["m/shut"], base)


def test_an_unreadable_file_is_an_error_of_its_own(open_folder: Path, request: pytest.FixtureRequest) -> None:
    tree(open_folder, "m/a.md")
    (open_folder / "m/a.md").chmod(0)
    file = walk(parse_roots(["m"], open_folder)).files[0]
    request.getfixturevalue("unprivileged")
    with pytest.raises(UnreadableFile, match="Permission denied"):
        read_stable(file.path, file)


def test_a_root_that_vanishes_is_an_error_and_an_empty_one_is_not(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    roots = parse_roots(["m"], tmp_path)
    assert walk(roots) == Walk()
    (tmp_path / "m").rmdir()
    with pytest.raises(SourceUnreadable):
        walk(roots)


def test_digests_notice_every_change(tmp_path: Path) -> None:
    tree(tmp_path, "m/a.md")
    [file] = walk(parse_roots(["m"], tmp_path)).files
    digest = read_stable(file.path, file)
    assert digest == read_stable(file.path, file)
    os.utime(file.path, ns=(1, 1))
    with pytest.raises(FileChanged):
        read_stable(file.path, file)
    [file] = walk(parse_roots(["m"], tmp_path)).files
    (tmp_path / "new").write_text("m/a.md")
    os.utime(tmp_path / "new", ns=(1, 1))
    os.replace(tmp_path / "new", file.path)
    with pytest.raises(FileChanged):
        read_stable(file.path, file)
    [file] = walk(parse_roots(["m"], tmp_path)).files
    assert read_stable(file.path, file) == digest
    file.path.unlink()
    with pytest.raises(FileChanged, match="removed"):
        read_stable(file.path, file)


def test_a_companion_is_part_of_the_digest(tmp_path: Path) -> None:
    (tmp_path / "parts.jsonl").write_text('{"_id": "a#0", "text": "x"}\n')
    (tmp_path / "documents.jsonl").write_text('{"_id": "a", "text": "x y"}\n')
    [before] = walk(parse_roots(["parts.jsonl"], tmp_path)).files
    first = read_stable(before.path, before)
    (tmp_path / "documents.jsonl").write_text('{"_id": "a", "text": "x z"}\n')
    [after] = walk(parse_roots(["parts.jsonl"], tmp_path)).files
    assert read_stable(after.path, after) != first
    os.utime(tmp_path / "documents.jsonl", ns=(1, 1))
    with pytest.raises(FileChanged):
        read_stable(after.path, after)


def test_folders_nested_beyond_the_recursion_limit(tmp_path: Path) -> None:
    folders = [tmp_path / "m"]
    for _ in range(1200):
        folders.append(folders[-1] / "d")
    for folder in folders:
        folder.mkdir()
    bottom = folders[-1] / "a.md"
    bottom.write_text("x")
    try:
        assert len(walk(parse_roots(["m"], tmp_path)).files) == 1
    finally:
        # The tool that removes temporary folders recurses, so the depth must be gone by then.
        bottom.unlink()
        for folder in reversed(folders):
            folder.rmdir()

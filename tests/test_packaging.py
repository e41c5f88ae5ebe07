"""What is shipped: sdist, the wheel made from it, the locks, and the dependencies that are declared."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
FOLDERS = ("corpora", "indexer", "pipelines", "query")


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr or done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sdist")
    run(sys.executable, "-m", "build", "--no-isolation", "--sdist", "--outdir", out, cwd=ROOT)
    return next(out.glob("*.tar.gz"))


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the unpacked sdist alone."""
    folder = tmp_path_factory.mktemp("wheel")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    source = next(folder.glob("treegraph-*"))
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", folder, cwd=source)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_every_module_and_data_file(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        shipped = {name for name in archive.namelist() if ".dist-info/" not in name}
    expected = {
        f"treegraph/{path.relative_to(ROOT)}"
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and not {"__pycache__", "field_guide", "labels"} & set(path.parts)
    }
    assert shipped == expected | {"treegraph/__init__.py", "treegraph/py.typed"}


@pytest.mark.parametrize(
    "pattern",
    [
        r"treegraph/py\.typed",
        r"treegraph/pipelines/schemas/search\.schema\.json",
        r"treegraph/indexer/prompts/.+\.txt",
        r"treegraph/corpora/manifests/intel-sdm\.toml",
        r"treegraph/corpora/sample/heron-field-guide\.pdf",
        r"treegraph/corpora/sample/protocol\.md",
    ],
)
def test_the_wheel_holds_its_data(wheel: Path, pattern: str) -> None:
    with zipfile.ZipFile(wheel) as archive:
        assert any(re.fullmatch(pattern, name) for name in archive.namelist())


def test_the_wheel_works_from_where_it_is_installed(wheel: Path, tmp_path: Path) -> None:
    """Unpacked elsewhere and put before everything else, it is what gets imported and run."""
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    code = (
        f"import sys; sys.path.insert(0, {str(site)!r}); import treegraph; print(treegraph.__file__); "
        "from treegraph.corpora.fetch import list_corpora; print(len(list_corpora())); "
        "from treegraph.pipelines.cli import main; print(callable(main))"
    )
    where, corpora, callable_ = run(sys.executable, "-c", code, cwd=tmp_path).split()
    assert where == str(site / "treegraph" / "__init__.py")
    assert int(corpora) >= 5
    assert callable_ == "True"


def test_the_sdist_holds_the_tests_and_the_licence(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "README.md", "pyproject.toml", "tests/test_packaging.py", "Makefile"} <= names


def test_the_metadata_names_licence_command_and_extras(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(n for n in names if n.endswith("METADATA"))).decode()
        points = archive.read(next(n for n in names if n.endswith("entry_points.txt"))).decode()
    assert "License-Expression: Apache-2.0" in metadata
    assert "treegraph = treegraph.pipelines.cli:main" in points
    assert set(re.findall(r"^Provides-Extra: (.+)$", metadata, re.M)) >= {
        "dev", "flag", "llama", "local", "office", "qdrant",
    }  # fmt: skip


@pytest.mark.parametrize("unwanted", ["torch", "transformers", "onnxruntime", "llama-index-core", "pandas"])
def test_the_base_install_stays_small(unwanted: str) -> None:
    assert unwanted not in base_closure()


def base_closure() -> set[str]:
    """Every distribution that an install without extras brings, by its normalised name."""
    found: set[str] = set()
    waiting = [(requirement, "") for requirement in map(Requirement, PROJECT["dependencies"])]
    while waiting:
        requirement, extra = waiting.pop()
        name = canonicalize_name(requirement.name)
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        if name in found and not requirement.extras:
            continue
        found.add(name)
        waiting += [
            (Requirement(text), wanted)
            for text in importlib.metadata.requires(name) or ()
            for wanted in ("", *requirement.extras)
        ]
    return found


def test_what_is_imported_is_declared() -> None:
    """Every third-party package that the code imports is a dependency or in an extra."""
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    declared = {canonicalize_name(Requirement(text).name) for group in groups for text in group}
    providers = importlib.metadata.packages_distributions()
    missing = {
        f"{path.relative_to(ROOT)}: {module}"
        for path, module in third_party_imports()
        if not {canonicalize_name(name) for name in providers.get(module, [module])} & declared
    }
    assert missing == set()


def third_party_imports() -> Iterator[tuple[Path, str]]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            beside = {sibling.stem for sibling in path.parent.glob("*.py")}
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                names = []
                if isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                    names = [node.module]
                for name in names:
                    top = name.partition(".")[0]
                    if top not in sys.stdlib_module_names and top not in beside and top != "treegraph":
                        yield path, top


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-image.lock", "requirements-llm.lock"])
def test_the_locks_name_version_and_hash_and_no_index(lock: str) -> None:
    text = (ROOT / lock).read_text("utf-8")
    entries = re.split(r"\n(?=\S)", "\n".join(line for line in text.splitlines() if not line.startswith("#")))
    assert entries
    for entry in entries:
        assert re.match(r"[A-Za-z0-9._-]+==\S+", entry)
        assert "--hash=sha256:" in entry
    assert "://" not in text
    assert not re.search(r"^--", text, re.M)


def test_the_lock_covers_every_dependency() -> None:
    text = (ROOT / "requirements.lock").read_text("utf-8")
    locked: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([A-Za-z0-9._-]+)==(\S+)", text, re.M):
        locked.setdefault(canonicalize_name(name), []).append(version)
    extras = PROJECT["optional-dependencies"]
    wanted = [*PROJECT["dependencies"], *(text for name in extras if name != "flag" for text in extras[name])]
    for requirement in map(Requirement, wanted):
        versions = locked[canonicalize_name(requirement.name)]
        assert all(version in requirement.specifier for version in versions), requirement

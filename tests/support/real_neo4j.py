"""A real Neo4j: one that TREEGRAPH_TEST_NEO4J_URL names, else the community engine, started here by Java.

``make neo4j-jars`` fetches the engine into the user's cache; without it, or without Java, tests skip.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import pytest

SOURCE = Path(__file__).parents[1] / "neo4j" / "Engine.java"
URL = "TREEGRAPH_TEST_NEO4J_URL"
PASSWORD = "TREEGRAPH_NEO4J_PASSWORD"
USER = "neo4j"
_JAVA = ("-Xms64m", "-Xmx320m", "-Xss512k", "-XX:+UseSerialGC")
_QUIET = "-Xlog:disable"
_BRIEF = ("-XX:TieredStopAtLevel=1",)
"""The first compiler alone: up in half the time, and what lives for seconds has no use for the second."""


def jars() -> Path:
    """Where ``make neo4j-jars`` puts the engine."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "treegraph" / "neo4j"


def launcher() -> list[str]:
    """What starts the engine, compiled and with its classes in an archive, which takes half the time. Both
    are made once, beside the jars."""
    made = jars() / f"engine-{hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:12]}"
    if not made.exists():
        with tempfile.TemporaryDirectory(dir=jars()) as draft:
            _compile(Path(draft) / "engine")
            _archive(Path(draft) / "engine", made)
    archive = made / "engine.jsa"
    return [f"-XX:SharedArchiveFile={archive}", _QUIET, "-cp", f"{made}/engine.jar:{jars()}/*", "Engine"]


def _compile(folder: Path) -> None:
    (folder / "classes").mkdir(parents=True)
    classes, jar = str(folder / "classes"), str(folder / "engine.jar")
    subprocess.run(["javac", "-cp", f"{jars()}/*", "-d", classes, str(SOURCE)], check=True)
    subprocess.run(["jar", "--create", "--file", jar, "-C", classes, "."], check=True)


def _archive(draft: Path, made: Path) -> None:
    """Put the draft in its place, which the archive names, and have a run that ends at once fill it."""
    try:
        draft.rename(made)
    except OSError:  # another process was quicker
        return
    dump = [f"-XX:ArchiveClassesAtExit={made}/draft.jsa", _QUIET, "-cp", f"{made}/engine.jar:{jars()}/*"]
    with tempfile.TemporaryDirectory() as data:
        command = ["java", *_JAVA, *_BRIEF, *dump, "Engine", data, "0", "leash"]
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    (made / "draft.jsa").rename(made / "engine.jsa")


@dataclass
class Engine:
    """An engine over ``folder``, which can be started again, and on the same port, after it was stopped."""

    folder: Path
    password: str = ""
    settings: tuple[str, ...] = ()
    options: tuple[str, ...] = _BRIEF
    url: str = ""
    process: subprocess.Popen[str] | None = field(default=None, repr=False)

    def start(self) -> None:
        """Start it and wait until it answers. It ends with this process, however that ends."""
        port = self.url.rpartition(":")[2] or "0"
        log = (self.folder.parent / f"{self.folder.name}.log").open("a")
        self.process = subprocess.Popen(
            [
                "java",
                *_JAVA,
                *self.options,
                *launcher(),
                str(self.folder),
                port,
                "leash",
                *self.settings,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env={**os.environ, PASSWORD: self.password},
            text=True,
        )
        log.close()
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        assert self.url, f"the engine did not start: {Path(log.name).read_text()[-2000:]}"

    def stop(self) -> None:
        """Let it end by itself."""
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()
            self._gone()

    def kill(self) -> None:
        """Kill -9."""
        if self.process is not None:
            self.process.kill()
            self._gone()

    def _gone(self) -> None:
        if self.process is not None:
            self.process.wait(60)
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe is not None and not pipe.closed:
                    pipe.close()
            self.process = None


@dataclass(frozen=True)
class RealNeo4j:
    """Where it answers, and with what."""

    url: str
    password: str
    user: str = USER


def _require_driver(missing: Callable[[str, str], NoReturn]) -> None:
    if importlib.util.find_spec("neo4j") is None:
        missing("neo4j", "Neo4j's driver is not installed: pip install 'treegraph[neo4j]'")


@pytest.fixture(scope="session")
def neo4j_engine(
    require_or_skip: Callable[[str, str], NoReturn], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Engine]]:
    """Makes engines of their own, for tests that stop or break them; they are not started yet."""
    _require_driver(require_or_skip)
    if shutil.which("java") is None:
        require_or_skip("neo4j", "there is no Java (17 or newer) to run Neo4j's engine")
    if not (jars() / ".complete").exists():
        require_or_skip("neo4j", f"Neo4j's engine is not in {jars()}: make neo4j-jars")
    made: list[Engine] = []

    def make(password: str = "", settings: tuple[str, ...] = ()) -> Engine:
        made.append(Engine(tmp_path_factory.mktemp("neo4j") / "data", password, settings))
        return made[-1]

    yield make
    for engine in made:
        engine.kill()
        shutil.rmtree(engine.folder, ignore_errors=True)


@pytest.fixture(scope="session")
def real_neo4j(request: pytest.FixtureRequest, require_or_skip: Callable[[str, str], NoReturn]) -> RealNeo4j:
    """The server that most tests share, each with indexes of its own. It asks for a password."""
    _require_driver(require_or_skip)
    named = os.environ.get(URL)
    if named:
        return RealNeo4j(named, os.environ.get(PASSWORD, ""))
    unlocked = ("dbms.security.auth_max_failed_attempts=0",)  # wrong passwords are tried on it, too
    engine: Engine = request.getfixturevalue("neo4j_engine")("a-long-password", unlocked)
    engine.options = ()
    engine.start()
    return RealNeo4j(engine.url, engine.password)

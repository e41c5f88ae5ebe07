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
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import pytest
from graph_rows import manual, publish

SOURCE = Path(__file__).parents[1] / "neo4j" / "Engine.java"
URL = "TREEGRAPH_TEST_NEO4J_URL"
PASSWORD = "TREEGRAPH_NEO4J_PASSWORD"
USER = "neo4j"
_JAVA = ("-Xms64m", "-Xmx320m", "-Xss512k", "-XX:+UseSerialGC")
_QUIET = "-Xlog:disable"
_BRIEF = ("-XX:TieredStopAtLevel=1",)
"""The first compiler alone: up in half the time, and the second would pay its way only after the tests."""


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
            try:
                (Path(draft) / "engine").rename(made)
            except OSError:  # another process was quicker
                return _launched(made)
        _archive(made)
    return _launched(made)


def _launched(made: Path, archive: str = "SharedArchiveFile", name: str = "engine.jsa") -> list[str]:
    return [f"-XX:{archive}={made / name}", _QUIET, "-cp", f"{made}/engine.jar:{jars()}/*", "Engine"]


def _compile(folder: Path) -> None:
    (folder / "classes").mkdir(parents=True)
    classes, jar = str(folder / "classes"), str(folder / "engine.jar")
    subprocess.run(["javac", "-cp", f"{jars()}/*", "-d", classes, str(SOURCE)], check=True)
    subprocess.run(["jar", "--create", "--file", jar, "-C", classes, "."], check=True)


def _archive(made: Path) -> None:
    """Have an engine that was used leave its classes behind when it ends."""
    from treegraph.indexer.stores.neo4j import connect
    from treegraph.indexer.stores.ports import Filter

    with tempfile.TemporaryDirectory() as data:
        engine = Engine(Path(data) / "data", launched=_launched(made, "ArchiveClassesAtExit", "draft.jsa"))
        engine.start()
        with closing(connect(engine.url, USER, None, str(uuid.uuid4()))) as store:
            publish(store, 1, None, manual())
            snapshot, everything = store.read(1), Filter()
            entities = snapshot.whole(everything).entities
            snapshot.relations(entities, everything)
            snapshot.subgraph(entities, [], everything, 2)
            snapshot.communities(everything, entities=entities)
        engine.stop()
    (made / "draft.jsa").rename(made / "engine.jsa")


@dataclass
class Engine:
    """An engine over ``folder``, which can be started again, and on the same port, after it was stopped."""

    folder: Path
    password: str = ""
    settings: tuple[str, ...] = ()
    options: tuple[str, ...] = _BRIEF
    url: str = ""
    launched: list[str] = field(default_factory=launcher)
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
                *self.launched,
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
            self.process.wait(300)
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
    engine.start()
    return RealNeo4j(engine.url, engine.password)

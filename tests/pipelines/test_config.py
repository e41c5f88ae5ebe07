"""The configuration: which value wins, and what every mistake in it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from treegraph.indexer.errors import ConfigurationError
from treegraph.pipelines.config import Config, Effective, load_config, schema
from treegraph.pipelines.config_layers import Given


def written(folder: Path, text: str, version: str = "version = 1\n") -> Path:
    file = folder / "treegraph.toml"
    file.write_text(version + text, encoding="utf-8")
    return file


def read(folder: Path, text: str, environ: dict[str, str] | None = None) -> Effective:
    return load_config(written(folder, text), environ=environ or {}, folder=folder)


def refused(folder: Path, text: str, environ: dict[str, str] | None = None) -> str:
    with pytest.raises(ConfigurationError) as caught:
        read(folder, text, environ)
    return str(caught.value)


def test_without_a_file_everything_is_a_default(tmp_path: Path) -> None:
    effective = load_config(environ={}, folder=tmp_path)
    assert effective.config == Config()
    assert effective.file is None
    assert {setting.layer for setting in effective.settings} == {"default"}
    listed = {(setting.table, setting.key) for setting in effective.settings}
    assert listed == {(table, key) for table, keys in schema().items() for key in keys}


def test_flags_win_over_the_environment_over_the_file(tmp_path: Path) -> None:
    file = written(tmp_path, '[chunk]\nsize = 300\nby = "fixed"\n[search]\nk = 7\nneighbours = 1\n')
    environ = {"TREEGRAPH_CHUNK_SIZE": "200", "TREEGRAPH_SEARCH_K": "8", "TREEGRAPH_INDEX": "elsewhere"}
    flags = {("search", "k"): Given(9, "flag", "-k")}
    effective = load_config(file, flags=flags, environ=environ)
    assert (effective.config.chunk.size, effective.config.chunk.by) == (200, "fixed")
    assert (effective.config.search.k, effective.config.search.neighbours) == (9, 1)
    where = {(s.table, s.key): (s.layer, s.where) for s in effective.settings}
    assert where["search", "k"] == ("flag", "-k")
    assert where["chunk", "size"] == ("environment", "TREEGRAPH_CHUNK_SIZE")
    assert where["chunk", "by"] == ("file", str(file))
    assert where["load", "pdf"] == ("default", "")


def test_the_file_is_the_named_one_else_the_variables_else_the_one_here(tmp_path: Path) -> None:
    here, other, third = tmp_path / "here", tmp_path / "other", tmp_path / "third"
    for size, folder in ((100, here), (101, other), (102, third)):
        folder.mkdir()
        written(folder, f"[chunk]\nsize = {size}\n")
    environ = {"TREEGRAPH_CONFIG": str(other / "treegraph.toml")}
    assert load_config(environ={}, folder=here).config.chunk.size == 100
    assert load_config(environ=environ, folder=here).config.chunk.size == 101
    assert load_config(third / "treegraph.toml", environ=environ, folder=here).config.chunk.size == 102
    with pytest.raises(ConfigurationError, match="there is no configuration file"):
        load_config(tmp_path / "missing.toml", environ=environ, folder=here)


def test_every_kind_of_value_is_read(tmp_path: Path) -> None:
    text = """
    [load]
    pdf = "text"
    tables = false
    max_seconds = 30
    ignore = ["drafts/", "*.bak"]
    [load.passwords]
    "vault/*.pdf" = "env:VAULT_PASSWORD"
    [search]
    weight = 0.4
    [stores]
    qdrant = "https://vectors.example:6333"
    [access]
    unlabelled = "hidden"
    [llm]
    base_url = "http://localhost:8000/v1"
    model = "small"
    [tree]
    """
    config = read(tmp_path, text).config
    assert (config.load.pdf, config.load.tables, config.load.max_seconds) == ("text", False, 30.0)
    assert isinstance(config.load.max_seconds, float)
    assert config.ignore == ("drafts/", "*.bak")
    assert config.load.passwords == {"vault/*.pdf": "env:VAULT_PASSWORD"}
    assert config.search.weight == 0.4
    assert config.stores.qdrant == "https://vectors.example:6333"
    assert config.access.unlabelled == "hidden"
    assert config.llm.model == "small"


def test_rules_for_documents_keep_their_order(tmp_path: Path) -> None:
    text = """
    [[documents]]
    glob = "manuals/**"
    labels = ["staff"]
    product = "Heron 4"
    [[documents]]
    glob = "manuals/open/*"
    labels = []
    valid_from = 2024-01-31
    """
    rules = read(tmp_path, text).config.documents
    assert [rule.glob for rule in rules] == ["manuals/**", "manuals/open/*"]
    assert rules[0].values["product"] == "Heron 4"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[chunk]\nsise = 3\n", ["unknown key sise", "[chunk]", "did you mean size?"]),
        ("[chnk]\nsize = 3\n", ["no table [chnk]", "did you mean chunk?"]),
        ("size = 300\n", ["size stands above all tables", "[chunk]"]),
        ("vresion = 1\n", ["unknown key vresion", "did you mean version?"]),
        (
            "[chunk]\ncandidates = 3\n",
            ["unknown key candidates", "it belongs in [tree] or [graph] or [rerank]"],
        ),
        ("[tree]\nmember = 3\n", ["unknown key member in [tree]", "did you mean members?"]),
        ("[graph]\nhop = 3\n", ["unknown key hop in [graph]", "did you mean hops?"]),
        ("chunk = 3\n", ["chunk", "expected a table"]),
        ('[chunk]\nsize = "300"\n', ["[chunk] size", "expected a whole number", "'300'"]),
        ("[chunk]\nsize = true\n", ["[chunk] size", "expected a whole number", "true"]),
        ('[chunk]\nby = "page"\n', ["[chunk] by", 'one of "structure", "fixed", "semantic"', "'page'"]),
        ('[load]\ntables = "no"\n', ["[load] tables", "expected true or false"]),
        ('[load]\nignore = "*.bak"\n', ["[load] ignore", "expected a list, each a string", "'*.bak'"]),
        ("[load]\nignore = [1]\n", ["[load] ignore", "expected a string", "got 1"]),
        ('[load]\npasswords = "x"\n', ["[load] passwords", "env:NAME"]),
        ("[chunk]\nsize = 1\n", ["chunk.size is at least 16"]),
        ("[embed]\nbatch = 0\n", ["[embed] batch must be 1 or more"]),
        ('[llm]\nmodel = "small"\n', ["[llm] needs both base_url and model"]),
        ("documents = 3\n", ["write each as [[documents]]"]),
        ('[[documents]]\nlabels = ["a"]\n', ["[[documents]] number 1", "glob: expected a pattern"]),
        ("[chunk\n", ["not valid TOML", "line 2"]),
    ],
)
def test_a_mistake_names_its_place_and_what_was_expected(tmp_path: Path, text: str, parts: list[str]) -> None:
    message = refused(tmp_path, text)
    assert str(tmp_path / "treegraph.toml") in message
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    ("version", "part"),
    [
        ("", "does not say its version"),
        ("version = 2\n", "use a newer treegraph"),
        ("version = true\n", "expected 1"),
    ],
)
def test_the_version_is_checked(tmp_path: Path, version: str, part: str) -> None:
    file = written(tmp_path, "[chunk]\nsize = 300\n", version)
    with pytest.raises(ConfigurationError, match=part):
        load_config(file, environ={})


@pytest.mark.parametrize(
    ("environ", "parts"),
    [
        ({"TREEGRAPH_CHUNK_SISE": "3"}, ["TREEGRAPH_CHUNK_SISE", "did you mean size?"]),
        ({"TREEGRAPH_CHUNK_SIZE": "many"}, ["TREEGRAPH_CHUNK_SIZE", "expected a whole number", "'many'"]),
        ({"TREEGRAPH_LOAD_TABLES": "maybe"}, ["TREEGRAPH_LOAD_TABLES", "expected true or false"]),
        ({"TREEGRAPH_LOAD_PASSWORDS": "x"}, ["can only be given in the configuration file"]),
        ({"TREEGRAPH_CHUNK_SIZE": "2"}, ["TREEGRAPH_CHUNK_SIZE", "at least 16"]),
    ],
)
def test_a_mistake_in_the_environment_names_the_variable(
    tmp_path: Path, environ: dict[str, str], parts: list[str]
) -> None:
    message = refused(tmp_path, "", environ)
    for part in parts:
        assert part in message


def test_the_environment_gives_lists_and_switches_and_empty_means_not_given(tmp_path: Path) -> None:
    environ = {
        "TREEGRAPH_LOAD_IGNORE": "drafts/, *.bak",
        "TREEGRAPH_LOAD_TABLES": "off",
        "TREEGRAPH_SEARCH_WEIGHT": "0.25",
        "TREEGRAPH_CHUNK_SIZE": "",
        "TREEGRAPH_SOMETHING_ELSE": "left alone",
    }
    config = read(tmp_path, "[chunk]\nsize = 300\n", environ).config
    assert config.ignore == ("drafts/", "*.bak")
    assert (config.load.tables, config.search.weight, config.chunk.size) == (False, 0.25, 300)


@pytest.mark.parametrize(
    ("text", "variable"),
    [
        ('[llm]\napi_key = "SECRET"\n', "TREEGRAPH_LLM_API_KEY"),
        ('[stores]\nqdrant_api_key = "SECRET"\n', "TREEGRAPH_QDRANT_API_KEY"),
        ('[stores]\nneo4j_password = "SECRET"\n', "TREEGRAPH_NEO4J_PASSWORD"),
        ('[load]\npassword = "SECRET"\n', "env:NAME"),
        ('api_key = "SECRET"\n', "TREEGRAPH_LLM_API_KEY"),
        ('[load.passwords]\n"*.pdf" = "SECRET"\n', "env:NAME"),
        ('[load.passwords]\n"*.pdf" = ["SECRET"]\n', "env:NAME"),
        ('[stores]\nqdrant = "https://me:SECRET@host:6333"\n', "TREEGRAPH_QDRANT_API_KEY"),
        ('[stores]\nqdrant = "https://host:6333?api-key=SECRET"\n', "TREEGRAPH_QDRANT_API_KEY"),
        ('[llm]\nmodel = "m"\nbase_url = "https://:SECRET@host/v1"\n', "TREEGRAPH_LLM_API_KEY"),
    ],
)
def test_a_secret_is_refused_and_not_shown(tmp_path: Path, text: str, variable: str) -> None:
    message = refused(tmp_path, text)
    assert variable in message
    assert "SECRET" not in message


def test_a_url_must_be_one(tmp_path: Path) -> None:
    assert "expected a URL" in refused(tmp_path, '[stores]\nqdrant = "localhost"\n')
    assert "expected a URL" in refused(tmp_path, "", {"TREEGRAPH_STORES_QDRANT": "ftp://host"})

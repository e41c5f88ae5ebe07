"""The packages of the ``eval`` extra, imported where they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ...indexer.errors import ConfigurationError


def ir_measures() -> Any:
    """The package ir-measures. Raises ConfigurationError where it is not installed."""
    return _package("ir_measures", "ir-measures")


def jinja2() -> Any:
    """The package Jinja2. Raises ConfigurationError where it is not installed."""
    return _package("jinja2", "Jinja2")


def _package(module: str, name: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise ConfigurationError(
            f"measuring needs {name}, which is not installed: pip install 'treegraph[eval]'"
        ) from error

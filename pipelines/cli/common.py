"""What every command takes: the index, the configuration, and how to speak. Accepted before and after
the command's name."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .logs import set_level

if TYPE_CHECKING:
    from ..config import Config, Effective
    from ..config_layers import Given, Key

LOG_FORMAT = "TREEGRAPH_LOG_FORMAT"
AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])


@dataclass(slots=True)
class Common:
    """The options that every command shares, as far as they were given."""

    index: Path | None = None
    config: Path | None = None
    json: bool = False
    quiet: bool = False
    verbose: int = 0
    log_format: str = "text"
    tracing: bool = False
    ending: ExitStack = field(default_factory=ExitStack)

    @property
    def index_path(self) -> Path:
        """The index's folder: the flag, else ``$TREEGRAPH_INDEX``, else ``treegraph.index`` here."""
        from ..opening import index_path

        return index_path(self.index)

    @property
    def index_origin(self) -> str:
        """Where the index's folder was named."""
        if self.index:
            return "flag"
        return "environment" if os.environ.get("TREEGRAPH_INDEX") else "default"

    def effective(self, flags: Mapping[Key, Given] | None = None) -> Effective:
        """Read the configuration. Raises ConfigurationError."""
        from ..config import load_config

        effective = load_config(self.config, flags=flags)
        self._trace(effective.config)
        return effective

    def _trace(self, config: Config) -> None:
        """Send traces from here to the end of the command line, if the configuration or the environment
        names a collector."""
        if self.tracing or not (
            config.telemetry.endpoint or any(name.startswith("OTEL_") for name in os.environ)
        ):
            return
        from ..telemetry import start_tracing

        self.tracing = True
        if (stop := start_tracing(config.telemetry)) is not None:
            self.ending.callback(stop)


def _store(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    # The group and the command both have the option: only who was given a value may write it.
    if value and parameter.name:
        setattr(context.ensure_object(Common), parameter.name, value)


_INTO_COMMON: dict[str, Any] = {"expose_value": False, "callback": _store}
_PATH = click.Path(path_type=Path)
_OPTIONS = (
    click.option("-i", "--index", type=_PATH, metavar="DIR", help="The index's folder.", **_INTO_COMMON),
    click.option("--config", type=_PATH, metavar="FILE", help="The configuration file.", **_INTO_COMMON),
    click.option("--json", is_flag=True, help="One JSON document on stdout, nothing else.", **_INTO_COMMON),
    click.option("-q", "--quiet", is_flag=True, help="No progress and no remarks.", **_INTO_COMMON),
    click.option("-v", "--verbose", count=True, help="Log to stderr; -vv for more.", **_INTO_COMMON),
    click.option(
        "--log-format",
        type=click.Choice(["text", "json"]),
        envvar=LOG_FORMAT,
        help="What stderr gets: text, or lines of JSON with the run's id.",
        **_INTO_COMMON,
    ),
)


def common_options(function: AnyFunction) -> AnyFunction:
    """Add the options of Common to a command or group; their values go to the context's object."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


class Command(click.Command):
    """A command that sets the log level once all options are known."""

    def invoke(self, context: click.Context) -> Any:
        common = context.ensure_object(Common)
        set_level(common.quiet, common.verbose)
        return super().invoke(context)


def command(
    name: str, cls: type[Command] = Command, **settings: Any
) -> Callable[[Callable[..., int]], click.Command]:
    """A command with the options of Common, which its function gets first. It returns the exit code."""

    def decorate(function: Callable[..., int]) -> click.Command:
        return click.command(name, cls=cls, **settings)(common_options(click.pass_obj(function)))

    return decorate

"""The ``treegraph`` command: its commands, and how errors become messages and exit codes."""

from __future__ import annotations

import logging
import os
import shlex
import sys
import uuid
from collections.abc import Callable, Sequence
from importlib.metadata import version
from itertools import pairwise
from typing import NoReturn

import click

from ...indexer.errors import Cancelled, TreegraphError
from ..run_id import run_id
from .ask import ask
from .bench import bench
from .build import build
from .common import LOG_FORMAT, Common, common_options
from .corpora import corpora
from .doctor import doctor
from .evaluate import evaluation
from .failing import FAILED, INTERRUPTED, USAGE, fail
from .graph import graph
from .keeping import gc, remove, rollback
from .logs import LogFormat, log_to_stderr, speaks_json
from .look import look
from .moving import export, import_
from .plan import plan
from .read import read
from .runs import runs
from .search import search
from .serve import serve
from .settings import config
from .show import show
from .status import status
from .tree import tree
from .verify import verify

_LOG_FORMAT = "--log-format"


def _show_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"treegraph {version('treegraph')}")
        context.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@common_options
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
def treegraph() -> None:
    """One structured index over manuals: build it, search it, and get file, page and section.

    \b
    treegraph build manuals/             make the index mirror a folder
    treegraph search "reset the unit"    hits with their pages
    treegraph ask "How is the unit reset?"   an answer with its pages

    Exit codes: 0 done; 1 done, but some inputs failed (build: that had not before); 2 wrong usage or
    configuration; 3 the work could not be done; 4 ask, look: the documents do not say; 5 eval --against:
    quality was lost; 130 stopped by Ctrl-C.
    """


_COMMANDS = (
    build,
    plan,
    search,
    ask,
    read,
    show,
    look,
    tree,
    graph,
    status,
    runs,
    remove,
    gc,
    rollback,
    export,
    import_,
    verify,
    serve,
    config,
    doctor,
    corpora,
    evaluation,
    bench,
)
for _command in _COMMANDS:
    treegraph.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line on ``arguments`` (default: the process's) and exit."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; no exception escapes."""
    common = Common(json=_wants_json(arguments))

    def work() -> int:
        code = treegraph.main(list(arguments), prog_name="treegraph", obj=common, standalone_mode=False)
        return int(code or 0)

    run = uuid.uuid4().hex
    with log_to_stderr(run, _log_format(arguments)), run_id(run), common.ending:
        try:
            return _guarded(work, arguments, common)
        except click.exceptions.Exit as error:
            return error.exit_code


def _guarded(work: Callable[[], int], arguments: Sequence[str], common: Common) -> int:
    try:
        return work()
    except Cancelled as error:
        again = shlex.join(["treegraph", *arguments])
        message = f"{error}\nwhat was finished is kept; the same command goes on from here: {again}"
        return fail(common, "Cancelled", message, INTERRUPTED)
    except TreegraphError as error:
        return fail(common, type(error).__name__, str(error), error.exit_code)
    except click.ClickException as error:
        if not speaks_json():
            error.show(sys.stderr)
        return fail(common, "UsageError", error.format_message(), USAGE, shown=not speaks_json())
    except click.Abort:
        return fail(common, "Cancelled", "stopped", INTERRUPTED)
    except click.exceptions.Exit:
        raise
    except OSError as error:
        return fail(common, "WorkError", str(error), FAILED)
    except Exception as error:
        # The outer edge: whatever a bug raises becomes a message and an exit code.
        logging.getLogger("treegraph").info("internal error", exc_info=error)
        message = f"internal error: {type(error).__name__}: {error} (-v shows where)"
        return fail(common, "InternalError", message, FAILED)


def _wants_json(arguments: Sequence[str]) -> bool:
    """Whether ``--json`` is among the options, known even when the rest of the line makes no sense."""
    return "--json" in _options(arguments)


def _log_format(arguments: Sequence[str]) -> LogFormat:
    """What ``--log-format`` or its variable says, known as early."""
    options = _options(arguments)
    after = [value for name, value in pairwise(options) if name == _LOG_FORMAT]
    after += [option.partition("=")[2] for option in options if option.startswith(f"{_LOG_FORMAT}=")]
    return "json" if (after[-1:] or [os.environ.get(LOG_FORMAT, "")]) == ["json"] else "text"


def _options(arguments: Sequence[str]) -> list[str]:
    options = list(arguments)
    return options[: options.index("--")] if "--" in options else options

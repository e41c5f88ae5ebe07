"""``treegraph remove``, ``gc`` and ``rollback``: keeping an index in order."""

from __future__ import annotations

import click

from .build import max_removed_option, show
from .common import Common, command
from .interrupt import cancelled_by_interrupt
from .output import emit, say
from .progress import progress


@command("remove", short_help="Take documents out, with everything that came from them.")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--yes", is_flag=True, help="Allow a removal above --max-removed.")
@click.option("--purge", is_flag=True, help="Leave no trace of them, and nothing to roll back to.")
@max_removed_option
def remove(common: Common, sources: tuple[str, ...], yes: bool, purge: bool, max_removed: float) -> int:
    """Take documents out of the index, with everything that came from them.

    SOURCE is a document's source as citations show it, a glob over sources, or the name of a source
    root: all that came from it.

    With --purge nothing of them stays in any generation, cache, picture, report or free page of the index:
    then there is no generation to roll back to, and all remembered model calls are forgotten. If it is
    stopped, the same command goes on.
    """
    from ..purging import purge as clear
    from ..removing import remove as take_out

    config = common.effective().config
    work = f"removing from {common.index_path}"
    with cancelled_by_interrupt(common) as cancel, progress(work, common.quiet) as on_event:
        report = (clear if purge else take_out)(
            common.index_path,
            sources,
            config=config,
            yes=yes,
            max_removed=max_removed,
            on_event=on_event,
            cancel=cancel,
        )
    return show(report, common)


@command("gc", short_help="Drop ended generations.")
def gc(common: Common) -> int:
    """Drop what only ended generations need: all but the published one, the one before, and those in use."""
    from ..maintenance import gc as collect

    return _show(collect(common.index_path), common)


@command("rollback", short_help="Publish the generation before.")
def rollback(common: Common) -> int:
    """Publish the generation before the published one again."""
    from ..maintenance import rollback as roll_back

    return _show(roll_back(common.index_path), common)


def _show(done: dict[str, object], common: Common) -> int:
    if common.json:
        emit(done)
    else:
        say(
            "\n".join(
                f"{name.replace('_', ' ')}: {_shown(value)}"
                for name, value in done.items()
                if name != "schema"
            )
        )
    return 0


def _shown(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value) or "none"
    return "none" if value is None else str(value)

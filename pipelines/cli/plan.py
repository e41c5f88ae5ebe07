"""``treegraph plan``: what a build would do, and what it would take."""

from __future__ import annotations

from functools import partial

from .build import build
from .common import Command
from .planned import PLAN

assert build.callback is not None
plan = Command(
    PLAN,
    params=[option for option in build.params if option.name != "dry_run"],
    callback=partial(build.callback, dry_run=True),
    short_help="What a build would change, take and cost.",
    help="""Rehearse the build of each SOURCE, and say what it would change and take.

    Files are read and cut, and everything that a model would be asked is counted; but no model is asked
    anything, and nothing of the index is changed. The report of the next build with the same options, and
    status, say how it went beside the plan.
    """,
)

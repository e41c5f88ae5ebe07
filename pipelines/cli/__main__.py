"""``python -m treegraph.pipelines.cli``: the command line without the installed script."""

from .app import main

main()

"""The order in which a tree is worked through."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def walk(root: str, beneath: Callable[[str], Sequence[str]]) -> dict[str, Sequence[str]]:
    """``root`` and all that hangs beneath it, each once and after its own children; with those children."""
    done: dict[str, Sequence[str]] = {}
    opened: dict[str, Sequence[str]] = {}
    stack = [root]
    while stack:
        node = stack[-1]
        if node not in opened:
            opened[node] = beneath(node)
            stack.extend(child for child in opened[node] if child not in opened)
            continue
        stack.pop()
        done.setdefault(node, opened[node])
    return done

"""Calls of tools: arguments as a model writes them, and refusals that say what to try next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from llama_index.core.tools import FunctionTool
from llama_index.core.tools.types import ToolMetadata
from pydantic import ValidationError

from ...indexer.errors import ConfigurationError, RouteUnavailable, TreegraphError
from .llama_arguments import Arguments

A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True, slots=True)
class Advice:
    """What to try after a call that failed: ``otherwise``, or ``without`` the structure that it needs."""

    otherwise: str
    without: str


def function_tool(
    name: str, description: str, takes: type[A], answer: Callable[[A], str], advice: Advice
) -> FunctionTool:
    """A tool that answers with text. What it raises has a message for the model: what is wrong, and what to
    try next. Nothing of this machine is in it."""

    def call(**arguments: Any) -> str:
        asked = _parsed(name, takes, arguments)
        try:
            return answer(asked).encode("utf-8", "replace").decode("utf-8")  # names may not be UTF-8
        except TreegraphError as error:
            raise type(error)(_refusal(error, advice)) from error

    return FunctionTool(fn=call, metadata=ToolMetadata(description, name, takes))


def _parsed(name: str, takes: type[A], arguments: dict[str, Any]) -> A:
    """The arguments; a null stands for one that is left out. Raises ConfigurationError."""
    try:
        return takes.model_validate({key: value for key, value in arguments.items() if value is not None})
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        raise ConfigurationError(
            f"{name} cannot be called so ({wrong}). It takes {', '.join(_shown(takes))}."
        ) from None


def _shown(takes: type[Arguments]) -> list[str]:
    """The names of the arguments, marked where they must be there."""
    schema = takes.model_json_schema()
    needed = schema.get("required", ())
    return [f"{name} (needed)" if name in needed else name for name in schema["properties"]]


def _refusal(error: TreegraphError, advice: Advice) -> str:
    if isinstance(error, RouteUnavailable):
        return f"This index was built without that structure. Try {advice.without}"
    if isinstance(error, ConfigurationError):
        said = str(error).rstrip(".")
        return said if "Try " in said else f"{said}. Try {advice.otherwise}"
    return f"The index cannot answer now ({error.reason}). Try once more; then say that it failed."

"""The tools of a toolbox as tools of LlamaIndex."""

from __future__ import annotations

import asyncio
from typing import Any

from llama_index.core.base.llms.types import ImageBlock, TextBlock
from llama_index.core.tools.types import AsyncBaseTool, ToolMetadata, ToolOutput

from .arguments import input_schema
from .tool import Tool
from .toolbox import Toolbox


class IndexTool(AsyncBaseTool):
    """A tool of an index. Its output is JSON text, for the model, and the same as values (``raw_output``); a
    call that cannot be answered is an output with ``is_error`` that says what to try next. Pictures are image
    blocks after the text. Safe from several
    threads and tasks."""

    def __init__(self, toolbox: Toolbox, tool: Tool) -> None:
        self._toolbox = toolbox
        self._name = tool.name
        self._names = tuple(input_schema(tool.arguments)["properties"])
        self._metadata = ToolMetadata(tool.description, tool.name, tool.arguments)

    @property
    def metadata(self) -> ToolMetadata:
        """Name, description and arguments."""
        return self._metadata

    def call(self, *values: Any, **arguments: Any) -> ToolOutput:
        """Call it with its arguments by name; the first that it takes may come without."""
        arguments = dict(zip(self._names, values, strict=False)) | arguments
        reply = self._toolbox.call(self._name, arguments)
        return ToolOutput(
            self._name,
            blocks=[TextBlock(text=reply.text), *(ImageBlock(image=png) for png in reply.pictures)],
            raw_input={"args": (), "kwargs": arguments},
            raw_output=reply.document,
            is_error=reply.failed,
        )

    async def acall(self, *values: Any, **arguments: Any) -> ToolOutput:
        """:meth:`call` in a thread, so that the event loop goes on."""
        return await asyncio.to_thread(self.call, *values, **arguments)


def index_tools(toolbox: Toolbox) -> list[IndexTool]:
    """What an agent of LlamaIndex needs to find its way in an index."""
    return [IndexTool(toolbox, tool) for tool in toolbox.tools.values()]

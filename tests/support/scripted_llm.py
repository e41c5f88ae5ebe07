"""Language models of LlamaIndex that say what a test tells them to, and keep what they were asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llama_index.core.base.llms.types import MessageRole, ToolCallBlock
from llama_index.core.llms import (
    ChatMessage,
    CompletionResponse,
    CompletionResponseGen,
    CustomLLM,
    LLMMetadata,
)
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.llms.mock import MockFunctionCallingLLM
from pydantic import PrivateAttr


class ScriptedLLM(CustomLLM):
    """Answers each prompt with ``reply``; ``prompts`` are those received."""

    reply: str = "ok"
    _prompts: list[str] = PrivateAttr(default_factory=list)

    @property
    def prompts(self) -> list[str]:
        return self._prompts

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(context_window=8000, num_output=200, model_name="scripted")

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        self._prompts.append(prompt)
        return CompletionResponse(text=self.reply)

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        yield self.complete(prompt, formatted=True)


Step = Callable[[list[str]], tuple[str, dict[str, Any]] | str]
"""From the tool results so far to the next call, a tool with its arguments, or to the answer."""


def scripted_agent_llm(*steps: Step) -> tuple[MockFunctionCallingLLM, list[list[str]]]:
    """A model for a FunctionAgent that takes these steps, and the tool results that it had at each."""
    seen: list[list[str]] = []

    def respond(messages: Sequence[ChatMessage], **kwargs: Any) -> ChatMessage:
        results = [message.content or "" for message in messages if message.role == MessageRole.TOOL]
        seen.append(results)
        step = steps[len(seen) - 1](results)
        if isinstance(step, str):
            return ChatMessage(role=MessageRole.ASSISTANT, content=step)
        name, arguments = step
        call = ToolCallBlock(tool_call_id=f"call-{len(seen)}", tool_name=name, tool_kwargs=arguments)
        return ChatMessage(role=MessageRole.ASSISTANT, blocks=[call])

    return MockFunctionCallingLLM(response_generator=respond, is_chat_model=True), seen

"""Language models of LlamaIndex that also see: any integration that takes images, OpenAI-compatible first."""

from __future__ import annotations

import inspect
import os
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError
from ..stores.addresses import without_secrets
from .language import API_KEY_VARIABLE, LlamaLanguageModel, completion, limit, openai_like, terms
from .ports import Completion
from .retries import begin_attempt, call_with_retries
from .settings import VisionSettings
from .usage import estimate_tokens, image_tokens

if TYPE_CHECKING:
    from llama_index.core.llms import LLM, ChatMessage

VISION_KEY_VARIABLE = "TREEGRAPH_VISION_API_KEY"


class LlamaVisionModel(LlamaLanguageModel):
    """A VisionModel over any LlamaIndex ``LLM`` that takes images: retried, paced and never more than
    ``concurrency`` calls at once, as the language model that it also is."""

    def __repr__(self) -> str:
        return f"LlamaVisionModel({self.name!r})"

    def look(self, prompt: str, image: bytes, max_tokens: int) -> Completion:
        """Answer a prompt about one picture, a PNG file's bytes, in at most ``max_tokens`` tokens. Raises
        ModelCallError, at once while the last few calls have all failed."""
        expected = estimate_tokens(prompt) + image_tokens(image)

        def ask() -> Any:
            self._pace.wait(expected + max_tokens)
            begin_attempt()
            return llm.chat([_message(prompt, image)], **limit(llm, max_tokens))

        with self._answering() as llm:
            response = call_with_retries(self._where, ask, self._secret)
        return completion(response.message.content or "", response, expected, max_tokens)


def connect_vision(settings: VisionSettings) -> LlamaVisionModel:
    """The model behind an OpenAI-compatible URL; no connection is made before the first call.

    The key is read from ``TREEGRAPH_VISION_API_KEY``, else from ``TREEGRAPH_LLM_API_KEY``; servers that want
    none get a placeholder. Raises ModelUnavailable when the packages are missing.
    """
    secret = os.environ.get(VISION_KEY_VARIABLE) or os.environ.get(API_KEY_VARIABLE, "")
    return LlamaVisionModel(
        openai_like(settings, secret),
        settings.model,
        settings.window,
        **terms(settings),
        secret=secret,
        address=without_secrets(settings.base_url),
    )


def adapt_vision(llm: LLM, settings: VisionSettings | None = None) -> LlamaVisionModel:
    """A LlamaIndex ``LLM`` object as a VisionModel; window and name are its own. Raises ConfigurationError
    for one that makes plain text of every message, and so would answer about pictures that it never saw."""
    from llama_index.core.llms import CustomLLM

    if isinstance(llm, CustomLLM) and inspect.unwrap(type(llm).chat) is inspect.unwrap(CustomLLM.chat):
        raise ConfigurationError(
            f"{type(llm).__name__} takes text alone: vision= needs a LlamaIndex LLM whose chat takes images"
        )
    meta = llm.metadata
    name = f"{llm.class_name()}:{meta.model_name}"
    return LlamaVisionModel(lambda: llm, name, meta.context_window, **terms(settings or VisionSettings()))


def _message(prompt: str, image: bytes) -> ChatMessage:
    """A message of the user: the picture, then what is asked about it."""
    from llama_index.core.base.llms.types import ChatMessage, ImageBlock, MessageRole, TextBlock

    blocks = [ImageBlock(image=image, image_mimetype="image/png"), TextBlock(text=prompt)]
    return ChatMessage(role=MessageRole.USER, blocks=blocks)

"""Batch interfaces of language models: calls handed over together, and answered within a day for less."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from ..digests import digest
from .json_reply import read_json
from .language import API_KEY_VARIABLE, CUT
from .ports import Completion
from .retries import call_with_retries
from .settings import LLMSettings
from .sound_text import sound
from .usage import Usage, estimate_tokens, finish_reason, read_usage

if TYPE_CHECKING:
    from openai import OpenAI

Result = TypeVar("Result")

_ENDPOINT: Literal["/v1/chat/completions"] = "/v1/chat/completions"
_WITHIN: Literal["24h"] = "24h"
_MARK = "treegraph"
"""Under what a batch's metadata say which of ours it is."""
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
GONE = "gone"
"""Why a batch has no answers that the server does not know any more."""
_LISTED = 100
_SEARCHED = 2_000
"""Batches, the newest of all that the key's owner has, among which a lost one is looked for."""
_REASON = re.compile(r"[a-z0-9_.-]{1,60}", re.IGNORECASE)
"""A provider's word for a kind of failure. Anything longer may hold what was asked, and is not kept."""


@dataclass(frozen=True, slots=True)
class BatchCall:
    """A call for a batch; ``key`` (64 characters at most) names it in the answers."""

    key: str
    prompt: str
    max_tokens: int


@dataclass(frozen=True, slots=True)
class BatchAnswer:
    """What a model answered to a call of a batch, and the provider's counts where it gave some."""

    text: str
    usage: Usage | None = None
    cut: bool = False

    def completion(self, prompt: str) -> Completion:
        """The answer as one to ``prompt``; where the provider gave no counts they are estimated."""
        counted = self.usage or Usage(estimate_tokens(prompt), estimate_tokens(self.text))
        estimated = self.usage is None
        return Completion(
            self.text, counted.tokens_in, counted.tokens_out, counted.cached_in, estimated, self.cut
        )


@dataclass(frozen=True, slots=True)
class BatchEnd:
    """How a batch ended: answers by key, and why there is none, by key; ``why`` holds for all that are in
    neither."""

    answers: Mapping[str, BatchAnswer] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)
    why: str = "expired"


class BatchServer(Protocol):
    """Takes batches. Every method raises ModelCallError where the server does not answer.

    ``address`` and ``account`` (a digest of the key) say whose batches it knows.
    """

    address: str
    account: str

    def size(self, call: BatchCall) -> int:
        """How many bytes a call takes of a batch."""
        ...

    def submit(self, mark: str, calls: Sequence[BatchCall]) -> str:
        """Hand calls over, under a ``mark`` of ours; the batch's id at the server."""
        ...

    def find(self, mark: str) -> str | None:
        """The id of the batch with this mark, None where the server took none."""
        ...

    def collect(self, batch: str) -> BatchEnd | None:
        """How a batch ended, None while it has not."""
        ...

    def withdraw(self, batch: str) -> bool:
        """Cancel a batch that has not ended, and delete its files; whether the server knew it."""
        ...


class OpenAIBatches:
    """Batches of an OpenAI-compatible server: files, and ``/v1/batches``."""

    def __init__(self, settings: LLMSettings) -> None:
        """The key is read from ``TREEGRAPH_LLM_API_KEY``; no connection is made before the first call."""
        self._settings = settings
        self._secret = os.environ.get(API_KEY_VARIABLE, "")
        self._made: OpenAI | None = None
        self.address = settings.base_url.rstrip("/")
        self.account = digest(["batches", self._secret])[:16]

    def size(self, call: BatchCall) -> int:
        """See :meth:`BatchServer.size`."""
        return len(json.dumps(self._line(call))) + 1

    def submit(self, mark: str, calls: Sequence[BatchCall]) -> str:
        """See :meth:`BatchServer.submit`."""
        lines = "\n".join(json.dumps(self._line(call)) for call in calls).encode()
        file = self._asked(
            lambda: self._client.files.create(file=(f"{mark}.jsonl", lines), purpose="batch").id
        )

        def hand_over() -> str:
            made = self._client.batches.create(
                input_file_id=file,
                endpoint=_ENDPOINT,
                completion_window=_WITHIN,
                metadata={_MARK: mark},
            )
            return str(made.id)

        # Not tried again: a batch whose answer was lost on the way would be made, and paid for, twice.
        return call_with_retries(self._name, hand_over, self._secret, attempts=1)

    def find(self, mark: str) -> str | None:
        """See :meth:`BatchServer.find`."""

        def found() -> str | None:
            batches = islice(self._client.batches.list(limit=_LISTED), _SEARCHED)  # page by page
            return next((str(each.id) for each in batches if (each.metadata or {}).get(_MARK) == mark), None)

        return self._asked(found)

    def collect(self, batch: str) -> BatchEnd | None:
        """See :meth:`BatchServer.collect`. One that the server does not know any more is gone; not so where
        it knows of no batches at all, as at an address that is not the right one."""
        now = self._found(lambda: self._client.batches.retrieve(batch))
        if now is None:
            self._asked(lambda: self._client.batches.list(limit=1))
            return BatchEnd(why=GONE)
        if now.status not in _ENDED:
            return None
        answers: dict[str, BatchAnswer] = {}
        failed: dict[str, str] = {}
        for file in filter(None, (now.output_file_id, now.error_file_id)):
            for key, found in _lines(self._text(file)):
                if isinstance(found, BatchAnswer):
                    answers[key] = found
                else:
                    failed[key] = found
        why = _why(now.errors) if now.status == "failed" else str(now.status)
        return BatchEnd(answers, failed, "without an answer" if now.status == "completed" else why)

    def withdraw(self, batch: str) -> bool:
        """See :meth:`BatchServer.withdraw`."""
        now = self._found(lambda: self._client.batches.retrieve(batch))
        if now is not None and now.status not in {*_ENDED, "cancelling"}:
            self._found(lambda: self._client.batches.cancel(batch))
        files = (now.input_file_id, now.output_file_id, now.error_file_id) if now is not None else ()
        for file in filter(None, files):
            self._found(partial(self._client.files.delete, file))
        return now is not None

    def _text(self, file: str) -> str:
        return self._found(lambda: str(self._client.files.content(file).text)) or ""

    def _found(self, call: Callable[[], Result]) -> Result | None:
        """What the server has, None where it knows nothing of it (any more)."""
        from openai import NotFoundError

        def asked() -> Result | None:
            try:
                return call()
            except NotFoundError:
                return None

        return self._asked(asked)

    def _asked(self, call: Callable[[], Result]) -> Result:
        return call_with_retries(self._name, call, self._secret)

    def _line(self, call: BatchCall) -> dict[str, Any]:
        body = {
            "model": self._settings.model,
            "messages": [{"role": "user", "content": call.prompt}],
            "temperature": 0.0,
            "max_tokens": call.max_tokens,
        }
        return {"custom_id": call.key, "method": "POST", "url": _ENDPOINT, "body": body}

    @property
    def _name(self) -> str:
        return f"batches of {self._settings.model}"

    @property
    def _client(self) -> OpenAI:
        if self._made is None:
            from openai import OpenAI

            self._made = OpenAI(
                base_url=self._settings.base_url,
                api_key=self._secret or "none",
                timeout=self._settings.timeout,
                max_retries=0,  # the retries are ours
            )
        return self._made


def _lines(text: str) -> Iterator[tuple[str, BatchAnswer | str]]:
    """Of each line of a file of results: its key, and the answer or why there is none."""
    for line in text.split("\n"):  # splitlines would cut answers at the line ends of other scripts, too
        try:
            value = read_json(line)
            yield str(value["custom_id"]), _found(value)
        except (ValueError, LookupError, TypeError, AttributeError):
            continue  # a line that is not one is no answer to anything


def _found(value: Mapping[str, Any]) -> BatchAnswer | str:
    response = value.get("response") or {}
    body = response.get("body") or {}
    if value.get("error") or response.get("status_code") != 200:
        error = value.get("error") or body.get("error") or {}
        status = response.get("status_code")
        return _reason(error.get("code")) or (f"status {status:d}" if isinstance(status, int) else "failed")
    text = body["choices"][0]["message"]["content"]
    return BatchAnswer(sound(str(text or "")), read_usage(body), finish_reason(body) in CUT)


def _why(errors: Any) -> str:
    first = next(iter(getattr(errors, "data", None) or ()), None)
    return _reason(getattr(first, "code", None)) or "refused"


def _reason(code: object) -> str:
    return code if isinstance(code, str) and _REASON.fullmatch(code) else ""

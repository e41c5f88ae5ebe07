"""The error tree. Everything treegraph raises on purpose is a TreegraphError.

::

    TreegraphError
    ├── ConfigurationError        exit 2: a setting, flag or argument is wrong
    │   ├── BadSet                an evaluation set does not hold together
    │   ├── RemovalRefused        a build would remove more than --max-removed allows
    │   └── RouteUnavailable      the asked route's structure is not built
    ├── WorkError                 exit 3: the work could not be done
    │   ├── SourceUnreadable      a source root is missing, unreadable or suddenly empty
    │   ├── IndexNotFound         no index in that folder
    │   ├── IndexLocked           another process writes to this index
    │   ├── IndexIncompatible     other model, dimension or a newer format
    │   ├── GenerationGone        the generation asked for is not kept any more
    │   ├── StoreError            a vector or graph store failed
    │   │   ├── StoreUnreachable  the server does not answer
    │   │   ├── StoreFull         no room left on the device
    │   │   └── StoreInconsistent what was written is not what is there
    │   ├── ModelUnavailable      a model or its package cannot be loaded
    │   │   └── UnsupportedScript no OCR model reads that language
    │   ├── PageUnavailable       a page of a source file cannot be shown
    │   │   ├── SourceGone        the file is not where it was read from
    │   │   └── SourceChanged     the file is another one than was read
    │   └── CorpusUnavailable     a public corpus cannot be fetched, or is not what was expected
    ├── LoadError                 one document could not be read; the rest goes on
    │   ├── UnsupportedType  UnreadableFile  CorruptFile  EmptyFile  EncryptedFile
    │   ├── NoText                no page holds any text, or none that can be read
    │   │   └── PagesUnread       what reads them failed for now: the next build tries again
    │   ├── FileChanged           the file changed while it was read
    │   ├── WorkerLost            the workers that read the file died: the next build tries again
    │   ├── BadRecord             a line of a JSONL file is not a usable record
    │   ├── BadMetadata           a sidecar or rule does not say what it should
    │   ├── SecretOnPage          a page's picture is not given to a model: it shows a secret
    │   └── LimitExceeded         pages, bytes, seconds or memory over the limit
    ├── ModelCallError            one model call failed for good; its item falls back
    │   ├── PictureUnreadable     a picture is none that can be read, and never will be
    │   ├── BudgetSpent           a cap on paid work (as --max-cost) left no room for it: it was not made
    │   ├── CallWaits             its answer is to come with a batch, in a later run
    │   └── InvalidModelOutput    the model answered, but not with something usable
    │       └── UnusablePage      what a model wrote of a page is not what stands on it
    └── Cancelled                 stopped at a safe point by the user
"""

from __future__ import annotations

from typing import ClassVar


class TreegraphError(Exception):
    """Base of every error raised on purpose. The message says what to do about it.

    ``reason`` is the word that reports count by: the class name in words, ``encrypted file``.
    """

    exit_code: ClassVar[int] = 3

    @property
    def reason(self) -> str:
        """The class name in words."""
        name = type(self).__name__
        return "".join(" " + c.lower() if c.isupper() else c for c in name).strip()


class ConfigurationError(TreegraphError):
    """A setting, flag or argument is wrong."""

    exit_code = 2


class BadSet(ConfigurationError):
    """A set of labelled questions is incomplete or contradicts itself; the message names file and line."""


class RemovalRefused(ConfigurationError):
    """A build would remove more documents than ``--max-removed`` allows; nothing was changed."""


class RouteUnavailable(ConfigurationError):
    """The asked route needs a structure that this index does not hold."""


class WorkError(TreegraphError):
    """The work could not be done."""


class SourceUnreadable(WorkError):
    """A source root is missing, unreadable or suddenly empty; never taken as a removal."""


class IndexNotFound(WorkError):
    """There is no index in that folder."""


class IndexLocked(WorkError):
    """Another process writes to this index; the message names it."""


class IndexIncompatible(WorkError):
    """The index was made with another model or dimension, or by a newer treegraph."""


class GenerationGone(WorkError):
    """The generation asked for is not kept any more."""


class StoreError(WorkError):
    """A vector or graph store failed."""


class StoreUnreachable(StoreError):
    """The store's server does not answer."""


class StoreFull(StoreError):
    """No room is left where the store writes."""


class StoreInconsistent(StoreError):
    """What was written is not what is there."""


class ModelUnavailable(WorkError):
    """A model, or the package that runs it, cannot be loaded."""


class PageUnavailable(WorkError):
    """A page of a source file cannot be shown: it needs a password, is damaged, or too large, or was indexed
    under an edit."""


class SourceGone(PageUnavailable):
    """The file of a page was removed, moved or renamed since it was read."""


class SourceChanged(PageUnavailable):
    """The file of a page is another one than was read: what was read may stand elsewhere in it."""


class UnsupportedScript(ModelUnavailable):
    """No OCR model that is there reads a language; the message says which one to give."""


class CorpusUnavailable(WorkError):
    """A file of a public corpus cannot be fetched, or is not what its manifest says."""


class LoadError(TreegraphError):
    """One document could not be read."""

    exit_code = 1


class UnsupportedType(LoadError):
    """No loader reads this type of file (or its extra is not installed)."""


class SecretOnPage(LoadError):
    """A page whose text layer holds a secret is not given to a model as a picture."""


class UnreadableFile(LoadError):
    """The operating system refused to open or read the file."""


class CorruptFile(LoadError):
    """The file is not what its type promises, or is cut short."""


class EmptyFile(LoadError):
    """The file has no bytes, or no pages."""


class EncryptedFile(LoadError):
    """The file needs a password that was not given, or the password is wrong."""


class NoText(LoadError):
    """The file can be opened but holds no text, as a scan without OCR."""


class PagesUnread(NoText):
    """No page of the file could be read for now: a model failed, or a budget was spent."""


class FileChanged(LoadError):
    """The file changed while it was read."""


class WorkerLost(LoadError):
    """The processes of a cluster that read the file ended, one after the other."""


class BadRecord(LoadError):
    """A line of a JSONL file is not a usable record."""


class BadMetadata(LoadError):
    """A sidecar does not say what it should."""


class LimitExceeded(LoadError):
    """The file needs more pages, bytes, seconds or memory than the limits allow."""


class ModelCallError(TreegraphError):
    """One model call failed for good; its item falls back to the model-free way.

    ``may_cost`` says whether a provider may charge for its last attempt all the same: not where none was
    made, or it was refused.
    """

    exit_code = 1
    may_cost: bool = True


class InvalidModelOutput(ModelCallError):
    """The model answered, but not with something usable."""


class PictureUnreadable(ModelCallError):
    """What a model was to look at is no picture that can be decoded: another day it is none either."""


class BudgetSpent(ModelCallError):
    """A paid call was not made: ``--max-cost``, ``--max-calls`` or ``--max-seconds`` leave no room for it."""

    may_cost: bool = False


class CallWaits(ModelCallError):
    """A call was put into a batch, or waits for what such a call will say: a later run has its answer."""


class UnusablePage(InvalidModelOutput):
    """What a model wrote of a page is not what stands on it; ``fault`` says in a few words what is wrong."""

    def __init__(self, message: str, fault: str) -> None:
        super().__init__(message, fault)
        self.fault = fault

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def reason(self) -> str:
        """The fault."""
        return self.fault


class Cancelled(TreegraphError):
    """Stopped at a safe point by the user; the same command goes on from there."""

    exit_code = 130

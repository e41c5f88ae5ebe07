"""Caps on paid work: calls under way count beforehand by what they can cost at most."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from ..indexer.errors import BudgetSpent, ConfigurationError, ModelCallError
from ..indexer.stores.ledger_history import Paid

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Caps:
    """The most that a piece of work may spend: money, requests sent (those that are tried again included),
    seconds since it began after which no paid call begins. None is no cap."""

    cost: float | None = None
    calls: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for flag, cap in (("cost", self.cost), ("calls", self.calls), ("seconds", self.seconds)):
            if cap is not None and not cap >= 0:
                raise ConfigurationError(f"--max-{flag} must be 0 or more, not {cap}")


_SHARED: ContextVar[Spending | None] = ContextVar("shared spending", default=None)


@contextmanager
def sharing(spending: Spending | None) -> Iterator[None]:
    """In the block builds and opened indexes pay from one ``spending``; None: each has its own."""
    token = _SHARED.set(spending)
    try:
        yield
    finally:
        _SHARED.reset(token)


def spending_under(caps: Caps) -> Spending:
    """What a piece of work may spend: what is shared with others, else ``caps`` of its own."""
    return _SHARED.get() or Spending(caps)


class Spending:
    """What one piece of work may spend under its ``caps``; ``spent`` is the money, ``sent`` the requests,
    ``refused`` the calls that were not made for a cap. Safe from several threads.

    A call is made only if the caps hold even where it costs its estimate; so what is spent stays under them
    as long as calls cost no more than their estimates. Where only calls under way stand in between it is
    waited for what they do cost. From the first refusal on all calls are refused, at once: so nothing is paid
    for that rests on what a refused call would have said. What a provider charges for attempts that timed out
    or broke off is not known here: each counts as its estimate.
    """

    def __init__(self, caps: Caps | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """``clock`` gives seconds and never goes back; the time runs from now."""
        self.caps = caps or Caps()
        self.spent = 0.0
        self.sent = 0
        self.refused = 0
        self.answered: Callable[[Paid], None] | None = None
        """Is told of each call that was answered, in the thread that made it."""
        self._clock = clock
        self._began = clock()
        self._pending = 0.0
        self._held = 0
        self._under_way = 0
        self._over = ""
        self._changed = threading.Condition()

    @property
    def open(self) -> bool:
        """Whether a paid call may still be made."""
        with self._changed:
            return not self._why_not(0.0)

    @property
    def why(self) -> str:
        """Why no paid call is made any more; empty while one may be."""
        return self._over

    @contextmanager
    def paying(self, most: float, requests: int = 1) -> Iterator[Paying]:
        """Hold ``most`` for one call of so many ``requests``, which then says what it did cost (nothing where
        it does not). Raises BudgetSpent where that much is not left."""
        self._reserve(most, requests)
        call = Paying(self, most, held=requests)
        sent = False
        try:
            yield call
            sent = True
        except ModelCallError as error:
            sent = error.may_cost
            if error.may_cost:
                call.cost = most
            raise
        finally:
            with self._changed:
                self._pending -= most
                self._held -= call.held
                self._under_way -= 1
                self.sent += sent and not call.begun  # by a model that does not tell of its requests
                self.spent += call.cost
                self._changed.notify_all()
        if call.paid is not None:
            self.tell(call.paid)

    def tell(self, paid: Paid) -> None:
        """Have whoever keeps account know of calls that were answered."""
        if self.answered is not None:
            self.answered(paid)

    def _reserve(self, most: float, requests: int) -> None:
        with self._changed:
            while self._under_way and self._why_not(most, requests):
                if self._why_not(most, requests, alone=True):
                    break
                self._changed.wait()
            if why := self._why_not(most, requests):
                raise self._refusal(why)
            self._pending += most
            self._held += requests
            self._under_way += 1

    def _begin(self, call: Paying) -> None:
        with self._changed:
            if why := self._too_late():
                raise self._refusal(why)
            freed = min(1, call.held)
            self._held -= freed
            self.sent += 1
            call.held -= freed
            call.begun = True

    def _again(self, call: Paying, charged: bool) -> None:
        with self._changed:
            if why := self._why_not(call.most if charged else 0.0):
                call.cost = call.most if charged else 0.0
                raise self._refusal(why)
            self.spent += call.most if charged else 0.0
            self._held += call.begun
            call.held += call.begun
            self._changed.notify_all()

    def _why_not(self, most: float, requests: int = 1, alone: bool = False) -> str:
        """Why no call of up to ``most`` in so many ``requests`` may be made beside those under way, or
        ``alone``; empty where one may."""
        if self._over:
            return self._over
        caps = self.caps
        pending, held = (0.0, 0) if alone else (self._pending, self._held)
        if caps.cost is not None and most > caps.cost > 0:
            return f"one may cost {most:.4f}, which is more than the whole of --max-cost {caps.cost:.4f}"
        if caps.cost is not None and (self.spent + pending + most > caps.cost or caps.cost == 0):
            return f"{self.spent:.4f} of --max-cost {caps.cost:.4f} is spent, and it may cost {most:.4f}"
        if caps.calls is not None and self.sent + held + requests > caps.calls:
            return f"{self.sent} of --max-calls {caps.calls} are made"
        return self._too_late()

    def _too_late(self) -> str:
        seconds = self.caps.seconds
        late = seconds is not None and self._clock() - self._began >= seconds
        return f"--max-seconds {seconds:g} are over" if late else ""

    def _refusal(self, why: str) -> BudgetSpent:
        if not self._over:
            log.warning("no paid call is made any more: %s", why)
        self._over = self._over or why
        self.refused += 1
        self._changed.notify_all()
        return BudgetSpent(f"a call was not made: {why}")


@dataclass(slots=True)
class Paying:
    """One call that is paid for, a :class:`.retries.Payer`: up to ``most`` an attempt; ``cost`` is what the
    last one took."""

    spending: Spending
    most: float
    cost: float = 0.0
    held: int = 1
    begun: bool = False
    paid: Paid | None = None

    def settle(self, cost: float, tokens_in: int = 0, tokens_out: int = 0, calls: int = 1) -> None:
        """Say what the call, answered in so many ``calls`` of the provider, did take."""
        self.cost = cost
        self.paid = Paid(calls, tokens_in, tokens_out, cost)

    def begin(self) -> None:
        """A request is sent now. Raises BudgetSpent once the time is over."""
        self.spending._begin(self)

    def again(self, charged: bool) -> None:
        """Another attempt is to follow one that may have been ``charged``. Raises BudgetSpent, at once, where
        no room is left for it."""
        self.spending._again(self, charged)

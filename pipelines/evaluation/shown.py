"""What of a report is shown, and how its figures and names are written, on a terminal and on a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from ..plain_text import safe
from .outcomes import Difference, Measured, Row

HEADLINE_CUTOFF = 5
"""Places that the headline metric of rankings looks at."""
WHOLE_TOPIC = 3
"""Gold places from which on a question asks for a whole topic rather than for the place of an answer."""
METRICS = (
    "hit@1",
    "recall@5",
    "recall@10",
    "all-gold@5",
    "mrr",
    "ndcg@10",
    "page_recall",
    "page_f1",
    "terms",
    "exact",
    "f1",
    "contains",
    "judged",
    "cited_precision",
    "cited_recall",
    "grounded",
    "refused",
    "withheld_refused",
)
"""The metrics that are shown, where a row has them, in this order."""
AMOUNTS = frozenset({"tokens", "pages", "records"}) | {
    f"{of}{what}" for of in ("", "withheld_", "judge_") for what in ("calls", "tokens_in", "tokens_out")
}
"""Metrics that are counts, not shares: less of them is no loss of quality."""
LESS = frozenset({"refused", "malformed", "unjudged"})
"""Shares of which less is better."""

_OF_ANSWERS = ("f1", "cited_f1")
_UNSEEN = re.compile("[\u061c\u200e\u200f\ufeff\ufffe\uffff]|[\U000e0000-\U000e007f]")
"""Marks without width, tags and what is no character: on a page they would hide text or turn it."""


def clean(text: str) -> str:
    """:func:`.plain_text.safe`, without what has no width either."""
    return safe(_UNSEEN.sub("", text))


def one_line(text: str, width: int | None = None) -> str:
    """:func:`clean`, white space folded to single spaces, cut to ``width`` characters with an ellipsis."""
    line = " ".join(clean(text).split())
    return line if width is None or len(line) <= width else line[: width - 1].rstrip() + "…"


def headline(row: Row) -> str:
    """The metric that orders a row's failures: F1 of the pages (or records) within the budget where every
    question asks for a whole topic, with gold in three places or more; else recall@5; where a row has
    neither, hit@5; of answers their F1, else that of what they cite; then whatever metric comes first. Empty
    for a row without metrics."""
    sizes = [len(outcome.standing) for outcome in row.outcomes if outcome.error is None]
    whole = bool(sizes) and min(sizes) >= WHOLE_TOPIC
    wanted = ["page_f1", "record_f1"] if whole else []
    for name in (*wanted, f"recall@{HEADLINE_CUTOFF}", f"hit@{HEADLINE_CUTOFF}", *_OF_ANSWERS):
        if name in row.metrics:
            return name
    return min((name for name in row.metrics if not is_amount(name)), default="")


def is_amount(metric: str) -> bool:
    """Whether a metric counts something, as ``tokens@10`` does."""
    return metric.partition("@")[0] in AMOUNTS


def tokens_metric(metrics: Iterable[str]) -> str:
    """The metric that says what the hits would put in a prompt: of the first ten where it is there, else
    of those within the budget; of answers, what a model was given to read."""
    known = set(metrics)
    return next((name for name in ("tokens@10", "tokens_in") if name in known), "tokens")


def rows_by_set(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each set, sets and rows in the order in which they appear."""
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        grouped.setdefault(row.set, []).append(row)
    return grouped


def shown_metrics(rows: Iterable[Row]) -> list[str]:
    """Those of :data:`METRICS` that any of ``rows`` has, and the rows' headlines in front if they are
    others."""
    listed = list(rows)
    extra = dict.fromkeys(name for row in listed if (name := headline(row)) and name not in METRICS)
    return [*extra, *(name for name in METRICS if any(name in row.metrics for row in listed))]


def varying_axes(configs: Sequence[Mapping[str, str]]) -> list[str]:
    """The axes whose value is not the same in all configurations, in the order in which they appear."""
    axes = dict.fromkeys(axis for config in configs for axis in config)
    return [axis for axis in axes if len({config.get(axis) for config in configs}) > 1]


def constant_axes(configs: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """The axes that have one value in all configurations."""
    varying = varying_axes(configs)
    return {axis: value for axis, value in (configs[0] if configs else {}).items() if axis not in varying}


def config_name(config: Mapping[str, str], axes: Sequence[str]) -> str:
    """A configuration named by ``axes``, the ones that set it apart; the whole of it where there are
    none."""
    chosen = [axis for axis in axes if axis in config] or list(config)
    return ", ".join(f"{axis}={config[axis]}" for axis in chosen) or "as configured"


def share(value: float, digits: int = 3) -> str:
    """A value between 0 and 1 without its leading zero: ``.880``; ``1.000``."""
    written = f"{abs(value):.{digits}f}"
    sign = "-" if value < 0 and float(written) else ""
    return sign + (written[1:] if written.startswith("0") else written)


def change(value: float) -> str:
    """A signed difference: ``+.012``, ``-.004``, ``.000``; one that would round to nothing with four
    digits; with thousands, as of a count, from 1 on."""
    if abs(value) >= 1:
        return f"{value:+,.1f}"
    written = share(value, 3 if abs(value) >= 0.0005 else 4)
    if not float(written):
        return ".000"
    return f"+{written}" if value > 0 else written


def figure(metric: str, value: float) -> str:
    """A metric's value: a share, or a count with thousands set apart."""
    if is_amount(metric):
        return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
    return share(value)


def interval(metric: str, measured: Measured) -> str:
    """The 95 % interval: ``[.84 .92]``."""
    if is_amount(metric):
        return f"[{figure(metric, measured.low)} {figure(metric, measured.high)}]"
    return f"[{share(measured.low, 2)} {share(measured.high, 2)}]"


def seconds(value: float | None) -> str:
    """A time in the unit that fits it: ``18 ms``, ``2.4 s``, ``3.1 min``; empty for none."""
    if value is None:
        return ""
    if value < 0.01:
        return f"{value * 1000:.1f} ms"
    if value < 1:
        return f"{value * 1000:.0f} ms"
    return f"{value:.1f} s" if value < 120 else f"{value / 60:.1f} min"


def chance(differences: Iterable[Difference], metrics: Sequence[str]) -> str:
    """What a mark on a difference means, and how many of those in ``metrics`` chance alone would mark."""
    compared = [found.beyond_noise for found in differences if found.metric in metrics]
    return (
        f"more than noise: the 95 % interval of the paired differences leaves out 0. {sum(compared)} of "
        f"{len(compared)} comparisons are marked; chance alone would mark about {len(compared) * 0.05:.1f} "
        "of so many, so a lone mark says little"
    )

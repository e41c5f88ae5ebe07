"""The settings of how the graph is made, the ``[graph]`` table of the configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ..errors import ConfigurationError

ExtractBy = Literal["patterns", "model"]
ReportBy = Literal["extractive", "model"]


@dataclass(frozen=True, slots=True)
class GraphSettings:
    """How the graph over the chunks is made.

    ``extract``: names and statements are found by ``patterns``, without a model, or by the configured
    ``model``, which is asked for entities of these ``types`` (none: of any). A community of the finest
    level has at most ``community`` entities. ``report``: communities are described by sentences chosen
    from the text (``extractive``) or by the ``model``, in at most ``report_tokens`` tokens and in
    ``report_language``: ``source``, the documents' own, or one that is named.
    """

    extract: ExtractBy = "patterns"
    types: tuple[str, ...] = ()
    community: int = 40
    report: ReportBy = "extractive"
    report_tokens: int = 120
    report_language: str = "source"

    def __post_init__(self) -> None:
        """Raises ConfigurationError for a value out of its range."""
        checks = (
            ("extract", self.extract, self.extract in get_args(ExtractBy), "patterns or model"),
            (
                "types",
                self.types,
                all(name.strip() for name in self.types),
                "names of types, none of them empty",
            ),
            ("community", self.community, self.community >= 2, "at least 2"),
            ("report", self.report, self.report in get_args(ReportBy), "extractive or model"),
            ("report_tokens", self.report_tokens, 20 <= self.report_tokens <= 1750, "between 20 and 1750"),
            ("report_language", self.report_language, bool(self.report_language), '"source" or a language'),
        )
        for name, value, valid, expected in checks:
            if not valid:
                raise ConfigurationError(f"graph.{name} must be {expected}, not {value!r}")

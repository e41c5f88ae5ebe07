"""Telephone numbers as they are written at home, by Google's libphonenumber."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..errors import ConfigurationError

_WRITTEN = re.compile(r"\(?[0-9][0-9()]*(?:[ /\u00a0-][0-9()]+)+")
"""In groups, with no point in it: numbers of other sorts fit a plan of numbers, too."""


class NationalPhones:
    """Finds numbers that are valid in one of ``regions`` ("GB") and written in groups.

    Raises ConfigurationError without the package, or for a region that it does not know.
    """

    kind = "phone"

    def __init__(self, regions: Sequence[str]) -> None:
        try:
            import phonenumbers
        except ImportError as error:
            raise ConfigurationError(
                f"[load.redact] phone_regions needs a package ({error}): pip install 'treegraph[redact]'"
            ) from error
        unknown = sorted(set(regions).difference(phonenumbers.SUPPORTED_REGIONS))
        if unknown:
            raise ConfigurationError(f"[load.redact] phone_regions: there is no region {', '.join(unknown)}")
        self._regions = regions
        self._matcher = phonenumbers.PhoneNumberMatcher
        self._valid = phonenumbers.Leniency.VALID

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where numbers stand in ``text``."""
        for region in self._regions:
            for match in self._matcher(text, region, leniency=self._valid, max_tries=len(text) + 1):
                if _WRITTEN.fullmatch(match.raw_string):
                    yield match.start, match.end

"""What a model that takes another's place has of it."""

from __future__ import annotations

from .ports import LanguageModel


class InPlaceOf:
    """Goes by the name of a language model, with its window and concurrency, at ``factor`` of its prices: so
    what was cached of the one is found for the other, and what a call costs is reckoned alike."""

    name: str
    window: int
    price_in: float
    price_out: float
    concurrency: int

    def __init__(self, model: LanguageModel | InPlaceOf, factor: float = 1.0) -> None:
        self.name = model.name
        self.window = model.window
        self.price_in = model.price_in * factor
        self.price_out = model.price_out * factor
        self.concurrency = model.concurrency

"""Which languages the shipped model reads, and which model reads the others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..errors import UnsupportedScript
from .ocr_models import ModelFile, given, shipped_recogniser

_SHIPPED = """
    en zh ja af az bs ca cs cy da de es et eu fi fr ga gl hr hu id is it ku la lb lt lv mi ms mt nl no oc pl
    pt qu rm ro sk sl sq sv sw tl tr uz vi
"""
_FAMILIES = {
    "korean": "ko",
    "arabic": "ar fa ur ug ps sd",
    "cyrillic": "ru uk be bg sr mk kk ky mn tg tt",
    "devanagari": "hi mr ne sa",
    "el": "el",
    "th": "th",
    "ta": "ta",
    "te": "te",
}
"""What the published PP-OCR models of other scripts are called, with their languages."""


def recognisers(languages: tuple[str, ...], models: Mapping[str, str]) -> list[ModelFile]:
    """The models that read ``languages``, each once: the user's own where ``models`` names one, else the
    shipped one, which comes first. Raises UnsupportedScript for a language that no model reads, and
    ModelUnavailable."""
    files: list[ModelFile] = []
    for language in dict.fromkeys((*languages, *models)):
        if path := models.get(language):
            files.append(given(Path(path).expanduser()))
        elif language.lower().split("-")[0] in _SHIPPED.split():
            files.insert(0, shipped_recogniser())
        else:
            raise UnsupportedScript(
                f'the shipped OCR model does not read "{language}"; give a model that does, as '
                f'`"{language}" = "PATH/{_published(language)}"` under `[ocr.models]`, '
                "or take the language out of [ocr] languages"
            )
    return list(dict.fromkeys(files))


def needs_ideographs(languages: tuple[str, ...], file: ModelFile) -> bool:
    """Whether ``languages`` are written in ideographs or kana, or a model is not the shipped one."""
    codes = {language.lower().split("-")[0] for language in languages}
    return bool(codes & {"zh", "ja"}) or file != shipped_recogniser()


def _published(language: str) -> str:
    code = language.lower().split("-")[0]
    family = next((family for family, codes in _FAMILIES.items() if code in codes.split()), code)
    return f"{family}_PP-OCRv5_rec_mobile.onnx"

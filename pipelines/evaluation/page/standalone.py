"""Pages that hold all they need: one HTML text, style and script within, nothing fetched, nothing sent.

A Content-Security-Policy allows the page's own style and script by their digests and forbids all else, so
that even text which slipped through the escaping could not run or fetch.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from ..packages import jinja2
from ..shown import clean

_SHARED = __package__
"""The package that holds the base template, the style sheet and the script."""


def page(template: str, package: str, script: bool = False, **values: Any) -> str:
    """The template of that name in ``package``, which extends ``base.html.jinja``, filled with ``values``.

    ``script`` puts the filter's script in. Raises ConfigurationError where Jinja2 is not installed.
    """
    css = _text(_SHARED, "page.css")
    js = _text(_SHARED, "page.js") if script else ""
    policy = f"default-src 'none'; style-src {_digest(css)}; base-uri 'none'; form-action 'none'"
    if script:
        policy += f"; script-src {_digest(js)}"
    filled = _environment(package).get_template(template)
    # Cleaned as a whole, after the escaping: no text of a document gets around it.
    return clean(filled.render(css=raw_html(css), js=raw_html(js), policy=policy, **values))


def macros(template: str, package: str) -> Any:
    """The macros of a template, as functions that return safe HTML."""
    return _environment(package).get_template(template).module


def raw_html(text: str) -> Any:
    """Text that is HTML already, as :mod:`.plots` makes it: it is put into a page as it is."""
    jinja2()
    from markupsafe import Markup

    return Markup(text)


@cache
def _environment(package: str) -> Any:
    library = jinja2()

    def load(name: str) -> str | None:
        for holder in (package, _SHARED):
            if files(holder).joinpath(name).is_file():
                return _text(holder, name)
        return None

    return library.Environment(
        loader=library.FunctionLoader(load),
        autoescape=True,
        undefined=library.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _text(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"

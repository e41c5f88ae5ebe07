"""Which parts of a web page are not its text: navigation, banners, footers, controls."""

from __future__ import annotations

import re
from typing import Final

from lxml.html import HtmlElement

_NEVER_TEXT: Final = (
    "script", "style", "template", "noscript", "iframe", "object", "embed", "canvas", "svg",
    "video", "audio", "head", "button", "select", "textarea", "input", "datalist", "rt", "rp",
)  # fmt: skip
"""Elements that show no running text. ``rt`` is a reading aid above a word, and would split it."""

_LANDMARK_ROLES: Final = frozenset(
    ("navigation", "search", "banner", "contentinfo", "menu", "menubar", "toolbar")
)
_MAIN_PARTS: Final = frozenset(("main", "article", "section"))
_ALWAYS: Final = frozenset((
    "headerlink", "anchorjs-link", "anchor-link", "permalink", "skip-link", "skip-nav", "skiplink",
    "sphinxsidebar", "breadcrumb", "breadcrumbs", "navheader", "navfooter", "nav-panel",
    "navigation-panel", "pagination", "pager", "prev-next-area", "cookie-banner", "cookie-consent",
    "editsection", "mw-editsection", "edit-this-page", "navbar", "topnav", "bottomnav", "subnav",
    "sidebar-nav", "page-footer", "site-footer", "site-header", "printfooter", "catlinks",
))  # fmt: skip
"""Names that documentation tools give, as class or id, to what is never part of the text."""

_OFTEN: Final = re.compile(
    r"(?:^|[-_])(?:nav|navigation|menu|sidebar|toc|contents|related|footer|header|social|share|links)(?:$|[-_])"
)
"""Names of what is left out where it also consists of links."""

_CONTAINERS: Final = (
    "div", "ul", "ol", "table", "section", "p", "dl", "header", "td",
)  # fmt: skip
_ANCHOR_MARKS: Final = frozenset({"", "¶", "§", "#", "🔗"})


def prune(body: HtmlElement) -> tuple[HtmlElement, int]:
    """Take what is not text out of ``body``; returns the element that holds the rest, and how many
    characters of text were left out.

    That is the page's one main part where it is marked and holds most of the text. What is only
    guessed from names is put to a test: where it would take more than half of the text, it stays.
    """
    _drop(body, list(body.iter(*_NEVER_TEXT)))
    before = _size(body)
    landmarks = [*body.iter("nav", "footer", "header", "aside"), *body.xpath(".//*[@role or @aria-hidden]")]
    landmarks = [element for element in landmarks if _is_landmark(element)]
    if sum(_size(element) for element in _outermost(landmarks)) < before:
        _drop(body, landmarks)
    named = _outermost([element for element in body.xpath(".//*[@class or @id]") if _is_named_so(element)])
    if sum(_size(element) for element in named) * 2 <= _size(body):
        _drop(body, named)
    _drop(body, [link for link in body.xpath(".//a[not(*)]") if _is_anchor_mark(link)])
    main = _main(body)
    return main, before - _size(main)


def _main(body: HtmlElement) -> HtmlElement:
    marked = body.xpath(".//main | .//*[@role='main']") or body.xpath(".//article")
    if not marked:
        return body
    largest = max(marked, key=_size)
    return largest if _size(largest) * 2 > _size(body) else body


def _is_landmark(element: HtmlElement) -> bool:
    """Whether an element says of itself that it is no text. Banners and asides inside the main part
    are part of it: titles, notes, footnotes."""
    role = element.get("role")
    if element.tag == "nav" or role in _LANDMARK_ROLES or element.get("aria-hidden") == "true":
        return True
    above = {parent.tag for parent in element.iterancestors()}
    if element.tag == "footer":
        return "blockquote" not in above
    if element.tag in ("header", "aside") or role == "complementary":
        roles = {parent.get("role") for parent in element.iterancestors()}
        return _MAIN_PARTS.isdisjoint(above) and "main" not in roles
    return False


def _is_named_so(element: HtmlElement) -> bool:
    names = f"{element.get('class', '')} {element.get('id', '')}".lower().split()
    if not _ALWAYS.isdisjoint(names):
        return True
    if element.tag not in _CONTAINERS or not any(_OFTEN.search(name) for name in names):
        return False
    linked = sum(_size(link) for link in element.iter("a"))
    return linked * 10 > _size(element) * 6


def _is_anchor_mark(link: HtmlElement) -> bool:
    return (link.text or "").strip() in _ANCHOR_MARKS


def _size(element: HtmlElement) -> int:
    """Characters of text in an element, white space not counted."""
    return len("".join(element.text_content().split()))


def _outermost(elements: list[HtmlElement]) -> list[HtmlElement]:
    """Those of ``elements`` that lie in no other of them."""
    chosen = set(elements)
    return [element for element in elements if not any(above in chosen for above in element.iterancestors())]


def _drop(body: HtmlElement, elements: list[HtmlElement]) -> None:
    for element in elements:
        if element is not body and element.getparent() is not None:
            element.drop_tree()

"""HTML pages: their main text, by lxml.

Readers made for news articles lose parts of manuals (half of a page of code listings, in one of nine
that were looked at), so nothing is taken out here but what is marked, or named, as navigation.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import CorruptFile
from ..types import Content
from . import media
from .encoding import Decoded, decode, scrub
from .reading import read_bytes
from .settings import LoadSettings
from .text import check_text, undecodable

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"\A\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_.:-]+)")
_NOT_XML = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|&#(?:0*(?:[0-8]|1[124-9]|2\\d|3[01])|x0*(?:[0-8bcef]|1[0-9a-f]));?",
    re.IGNORECASE,
)
"""Characters, also written as references, that lxml's trees cannot hold."""

_HEAD = 4096


def read_html(path: Path, settings: LoadSettings) -> Content:
    """The main text of a page: navigation, banners, footers and controls left out and counted.

    Headings become sections, data tables Markdown tables, ``pre`` code blocks. The title is the
    page's, else its first heading of level 1.

    Raises NoText, EmptyFile, CorruptFile, LimitExceeded, UnreadableFile.
    """
    decoded = _decode(read_bytes(path, settings))
    check_text(decoded.text, settings)
    content = parse_html(decoded.text)
    check_text(content.text, settings)
    return replace(content, dropped={**undecodable(decoded), **content.dropped})


def parse_html(page: str) -> Content:
    """Content of a page; its text is empty where the page has none. Raises CorruptFile."""
    from .html_prune import prune
    from .html_write import TextWriter, flat

    tree = _parse(page)
    title = flat(tree.findtext(".//title") or "").strip()
    body = tree.find("body")
    body = tree if body is None else body
    main, left_out = prune(body)
    writer = TextWriter()
    writer.write(main)
    text = scrub(writer.text())
    return Content(
        text=text,
        media_type=media.HTML,
        title=title or next((section.title for section in writer.sections if section.level == 1), None),
        language=_language(tree),
        sections=tuple(writer.sections),
        blocks=tuple(writer.blocks),
        dropped={"characters outside the main text": left_out} if left_out else {},
    )


def _decode(data: bytes) -> Decoded:
    """By byte order mark, else by what the page says of itself, else as any text."""
    if not data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        declared = _CHARSET.search(data[:_HEAD]) or _XML_ENCODING.match(data[:_HEAD])
        if declared is not None:
            try:
                return Decoded(data.decode(_web_name(declared[1].decode("ascii"))), "declared")
            except (UnicodeDecodeError, LookupError):
                pass  # A page that is wrong about itself is read as if it said nothing.
    return decode(data)


def _web_name(declared: str) -> str:
    """The superset that browsers take some encoding names for (WHATWG Encoding Standard, 4.2)."""
    supersets = {"iso-8859-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252", "ascii": "cp1252"}
    supersets |= {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc-kr": "cp949"}
    return supersets.get(declared.lower(), declared)


def _parse(text: str) -> HtmlElement:
    from lxml import etree, html

    parser = html.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True, no_network=True
    )
    data = _NOT_XML.sub(" ", text).encode("utf-8", "replace")
    try:
        return html.document_fromstring(data, parser=parser)
    except (etree.LxmlError, AssertionError) as error:
        raise CorruptFile(f"is not HTML that can be parsed: {error}") from error


def _language(page: HtmlElement) -> str | None:
    declared = page.get("lang") or page.get("{http://www.w3.org/XML/1998/namespace}lang")
    declared = declared or next(iter(page.xpath("//meta[@http-equiv='content-language']/@content")), None)
    language = (declared or "").split(",")[0].strip()
    return language if re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", language) else None

"""The media types that the loaders know, and the file names that hint at them."""

from __future__ import annotations

from typing import Final

PDF: Final = "application/pdf"
HTML: Final = "text/html"
MARKDOWN: Final = "text/markdown"
PLAIN: Final = "text/plain"
JSONL: Final = "application/x-ndjson"
DOCX: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PPTX: Final = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
EPUB: Final = "application/epub+zip"
PNG: Final = "image/png"
JPEG: Final = "image/jpeg"
TIFF: Final = "image/tiff"

READ: Final = (
    "PDF, images (PNG, JPEG, TIFF), HTML, Markdown, Word, Excel, PowerPoint, EPUB, records (JSONL), text and "
    "source code"
)
"""What has a loader, for people."""

OFFICE: Final = frozenset({DOCX, XLSX, PPTX, EPUB})
IMAGES: Final = frozenset({PNG, JPEG, TIFF})
DRAWN: Final = IMAGES | {PDF}
"""What has pages that can be drawn."""

DRAWN_SUFFIXES: Final = frozenset({".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff"})
"""How names of files with such pages end."""

BINARY_SUFFIXES: Final = DRAWN_SUFFIXES | {".docx", ".xlsx", ".pptx", ".epub"}
"""How names of files end that are never text."""

TEXT_SUFFIXES: Final = {
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".mdown": MARKDOWN,
    ".mkd": MARKDOWN,
    ".mdx": MARKDOWN,
    ".qmd": MARKDOWN,
    ".rmd": MARKDOWN,
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".rst": "text/x-rst",
    ".adoc": "text/x-asciidoc",
    ".org": "text/x-org",
    ".tex": "text/x-tex",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".json": "application/json",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".toml": "application/toml",
    ".ini": "text/x-ini",
    ".xml": "application/xml",
    ".py": "text/x-python",
    ".pyi": "text/x-python",
    ".rs": "text/x-rust",
    ".c": "text/x-c",
    ".h": "text/x-c",
    ".cc": "text/x-c++",
    ".cpp": "text/x-c++",
    ".cxx": "text/x-c++",
    ".hh": "text/x-c++",
    ".hpp": "text/x-c++",
    ".cu": "text/x-c++",
    ".cs": "text/x-csharp",
    ".go": "text/x-go",
    ".java": "text/x-java",
    ".kt": "text/x-kotlin",
    ".scala": "text/x-scala",
    ".swift": "text/x-swift",
    ".m": "text/x-objective-c",
    ".js": "text/x-javascript",
    ".mjs": "text/x-javascript",
    ".jsx": "text/x-javascript",
    ".ts": "text/x-typescript",
    ".tsx": "text/x-typescript",
    ".rb": "text/x-ruby",
    ".php": "text/x-php",
    ".pl": "text/x-perl",
    ".pm": "text/x-perl",
    ".lua": "text/x-lua",
    ".r": "text/x-r",
    ".jl": "text/x-julia",
    ".hs": "text/x-haskell",
    ".ml": "text/x-ocaml",
    ".ex": "text/x-elixir",
    ".erl": "text/x-erlang",
    ".clj": "text/x-clojure",
    ".lisp": "text/x-lisp",
    ".el": "text/x-lisp",
    ".scm": "text/x-scheme",
    ".f90": "text/x-fortran",
    ".f": "text/x-fortran",
    ".s": "text/x-asm",
    ".asm": "text/x-asm",
    ".v": "text/x-verilog",
    ".sv": "text/x-verilog",
    ".vhd": "text/x-vhdl",
    ".vhdl": "text/x-vhdl",
    ".sql": "text/x-sql",
    ".sh": "text/x-shellscript",
    ".bash": "text/x-shellscript",
    ".ps1": "text/x-powershell",
    ".proto": "text/x-protobuf",
    ".cmake": "text/x-cmake",
    ".css": "text/css",
}
"""What a file that is text is taken for by the end of its name."""

RECORD_SUFFIXES: Final = frozenset({".jsonl", ".ndjson"})


def is_text(media_type: str) -> bool:
    """Whether the plain text loader reads this type."""
    return media_type == PLAIN or media_type in _TEXT_TYPES


_TEXT_TYPES: Final = frozenset(TEXT_SUFFIXES.values()) - {HTML, MARKDOWN}

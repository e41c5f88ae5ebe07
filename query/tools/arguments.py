"""The arguments of the tools, with their limits: the input schemas come from here."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, create_model

NAME = 500
"""Characters of the name of an entity, or of a filter or glob."""

Cursor = Annotated[
    str,
    Field(
        max_length=100,
        description="`more` of the result before, to go on with it; all other arguments as they were.",
    ),
]
Glob = Annotated[str, StringConstraints(min_length=1, max_length=NAME)]
EntityName = Annotated[
    str, Field(min_length=1, max_length=NAME, description="Name, alias or id of an entity.")
]
Globs = Annotated[
    list[Glob],
    Field(
        max_length=20,
        description="Only documents whose source matches one of these globs, as ['manuals/*.pdf'].",
    ),
]


Route = Annotated[
    Literal["auto", "hybrid", "tree", "graph"],
    Field(
        description="auto chooses; hybrid: passages on a fact or identifier; tree: summaries of wholes; "
        "graph: what is linked to the things that the question names."
    ),
]
Count = Annotated[int, Field(ge=1, le=100, description="How many hits in all.")]


def _bare(schema: dict[str, Any]) -> None:
    """Take what costs an agent tokens and says nothing out of a schema, and put the cursor last."""
    schema.pop("title", None)
    schema.pop("description", None)
    properties = schema["properties"]
    for field in properties.values():
        field.pop("title", None)
    properties["cursor"] = properties.pop("cursor")


class Arguments(BaseModel):
    """What every tool takes."""

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=_bare)

    cursor: Cursor = ""

    @property
    def call(self) -> str:
        """The arguments without the cursor, as text: equal where they are."""
        return self.model_dump_json(exclude={"cursor"})


class DocumentsArguments(Arguments):
    """Which documents to list."""

    sources: Globs = []


class OutlineArguments(Arguments):
    """Which part of the tree to show, and how much of it."""

    of: Annotated[
        str,
        Field(max_length=1000, description="Id of a node, or source of a document; empty: the whole index."),
    ] = ""
    depth: Annotated[int, Field(ge=0, le=10, description="Levels below it.")] = 1
    detail: Annotated[
        Literal["titles", "summaries", "text"],
        Field(
            description="titles: cheapest; summaries: a few sentences a node; text: also the passages "
            "themselves under the lowest nodes."
        ),
    ] = "titles"


class AskArguments(Arguments):
    """A question, and where its answer may be."""

    question: Annotated[
        str,
        Field(min_length=1, max_length=2000, pattern=r"\S", description="In full, in the documents' words."),
    ]
    sources: Globs = []
    filters: Annotated[
        list[Glob],
        Field(
            max_length=20,
            description="Conditions on fields that `documents` shows, all of which must hold: 'field=value', "
            "also !=, <, <=, >, >=, and 'field=a..b'.",
        ),
    ] = []
    as_of: Annotated[
        str,
        Field(
            pattern=r"^(\d{4}-\d{2}-\d{2})?$",
            description="Only documents that were valid on this day, as 2025-03-31; empty: today.",
        ),
    ] = ""


class SearchArguments(AskArguments):
    """A question, and how to search for it."""

    route: Route = "auto"
    k: Count = 10


def search_arguments(route: str, k: int) -> type[SearchArguments]:
    """Those of a search, with other defaults for ``route`` and ``k``, which their schema shows."""
    return create_model("SearchArguments", __base__=SearchArguments, route=(Route, route), k=(Count, k))


class ReadArguments(Arguments):
    """What to read."""

    id: Annotated[
        str,
        Field(
            min_length=1,
            max_length=1000,
            description="Id of a chunk, node, report, document or entity; or the source of a document; or "
            "<source>@<first>-<last> for pages.",
        ),
    ]
    neighbours: Annotated[
        int, Field(ge=0, le=10, description="Of a chunk: so many chunks before and after it as well.")
    ] = 0


class LookArguments(Arguments):
    """Which page to look at, and for what."""

    page: Annotated[
        str,
        Field(
            min_length=1,
            max_length=1000,
            description="<source>@<page>, or the id of a hit, whose page is meant.",
        ),
    ]
    question: Annotated[
        str, Field(min_length=1, max_length=2000, pattern=r"\S", description="What the page is to show.")
    ]


class NeighboursArguments(Arguments):
    """Whose neighbours to show."""

    entity: EntityName


class PathArguments(Arguments):
    """The ends of a path."""

    first: Annotated[EntityName, Field(alias="from")]
    second: Annotated[EntityName, Field(alias="to")]


def input_schema(arguments: type[Arguments]) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments, in the order of their use: the cursor last."""
    return arguments.model_json_schema(by_alias=True)

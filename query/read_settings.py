"""How an index is read: the settings of every step from a question to its answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from .answer.settings import AnswerSettings
from .graph_settings import GraphReadSettings
from .rerank import RerankLimits
from .router.settings import RouterSettings
from .settings import SearchSettings
from .tree_settings import TreeReadSettings


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """The settings of the search, the limits of reranking, and the settings of the tree, graph, router and
    answer."""

    search: SearchSettings = field(default_factory=SearchSettings)
    rerank: RerankLimits = field(default_factory=RerankLimits)
    tree: TreeReadSettings = field(default_factory=TreeReadSettings)
    graph: GraphReadSettings = field(default_factory=GraphReadSettings)
    router: RouterSettings = field(default_factory=RouterSettings)
    answer: AnswerSettings = field(default_factory=AnswerSettings)

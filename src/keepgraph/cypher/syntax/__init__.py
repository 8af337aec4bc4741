"""The syntax of openCypher: tokens, the syntax tree, and the parser."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.cypher.syntax import ast, expressions, parser, patterns, tokenizer, tree_walk
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)

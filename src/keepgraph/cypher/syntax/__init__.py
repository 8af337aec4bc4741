"""The syntax of openCypher: tokens, the syntax tree, and the parser."""

"""`kg import` and `kg export`: exports of Keepgraph, and files of other programs."""

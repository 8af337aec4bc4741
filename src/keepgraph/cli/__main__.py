"""`python -m keepgraph.cli` is `kg`."""

from keepgraph.cli import main

main()

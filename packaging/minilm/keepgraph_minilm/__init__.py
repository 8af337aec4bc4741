"""The files of the embedding model all-MiniLM-L6-v2, in the folder `model`; Keepgraph reads them from there."""

"""Readers of other programs' files, as streams of records. No graph and no vocabulary."""

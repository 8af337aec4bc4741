"""The version of this package, and nothing else."""

__version__ = "0.1.0"

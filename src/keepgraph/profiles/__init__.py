"""Profiles: named graphs, their settings files, and their keys. No graph is opened here."""

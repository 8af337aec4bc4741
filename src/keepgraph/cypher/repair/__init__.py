"""Repair of the text of a query, as models and people mistype it, before it is compiled."""

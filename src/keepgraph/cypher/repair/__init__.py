"""Repair of the text of a query before it is compiled: what models and people often write wrongly."""

"""Dates, times and durations: the temporal types of openCypher, and the timestamps that are stored."""

"""The interface for a browser: a local server of one page, and files that hold the page with its data."""

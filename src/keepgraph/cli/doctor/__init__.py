"""`kg doctor`: checks of a graph, its files, its keys and its clients; and repairs."""

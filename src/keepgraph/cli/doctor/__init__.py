"""`kg doctor`: checks of a graph and of everything it rests on."""

"""Local machine-learning models behind small functions, loaded on first use. Nothing here goes to the network."""

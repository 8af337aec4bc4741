"""Local machine-learning models behind small functions, loaded on first use. None of them uses the network."""

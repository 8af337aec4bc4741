"""Text processing without a graph: normalisation, similarity, tokens, sentences, mentions, relations, chunks."""

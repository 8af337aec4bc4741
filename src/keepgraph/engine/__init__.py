"""The rules: what a name means, when a fact is the same fact, what a decision is. No SQL."""

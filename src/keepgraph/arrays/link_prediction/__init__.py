"""Link prediction: which facts between entities are likely, by counting, by Horn rules and by an embedding."""

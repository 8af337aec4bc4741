"""The SQL target: logical operators and expressions as SQL, one module for each operator; `emitter` lists them."""

"""The catalogue of tools, and the contract of a call: dispatch, schemas, validation, answer shapes, aliases."""

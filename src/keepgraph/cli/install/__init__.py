"""`kg install`: client configuration files, and a trial start of the server."""

"""The tools, one module a toolset; `contract/` has the catalogue and what every call goes through."""

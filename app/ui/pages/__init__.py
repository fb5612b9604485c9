"""One module per page; each declares a `PageSpec` and is found by the registry."""

"""Docker and what speaks its API, over a host's connection."""

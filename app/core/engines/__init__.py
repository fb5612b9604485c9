"""What an engine is, as data, and how a plan becomes its command line."""

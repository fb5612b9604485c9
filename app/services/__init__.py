"""One module per job; coroutines that publish events and keep snapshots."""

"""One authenticated connection per host, many channels."""

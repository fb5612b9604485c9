"""Reading engine and container logs as a stream: prefixes, ANSI, ranks, phases."""

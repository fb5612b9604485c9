"""Pure domain code: values in, values out. No Qt, threads, clocks, files or sockets."""

"""The only place where concrete objects are built and handed to each other."""

"""What a GPU host is: facts, parsers of tool output, topology."""

"""What one tool prints, read into cells with their reasons; put together by `assemble`."""

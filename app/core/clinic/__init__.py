"""Read launch texts as their engine would, and say what it will reject, ignore or misread."""

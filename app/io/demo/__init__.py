"""The demo host: recorded hardware and a simulated engine, named as such."""

"""What an engine answers on its metrics endpoint, translated by its data file."""

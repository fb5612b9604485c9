"""Predicted against actual: what a start took beside what was expected, and what to learn of it."""

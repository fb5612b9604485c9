"""Pitwall: put LLM inference engines onto GPU hosts, see what they do, prove why."""

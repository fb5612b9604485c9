"""Checks of a host before anything is put onto it: facts in, judgements with evidence out."""

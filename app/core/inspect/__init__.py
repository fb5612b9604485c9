"""Recognise and read anything a person pastes."""

"""Widgets that several pages share; they know tokens and texts, not the domain's rules."""

"""Slow, but nothing failed: where the time goes, and trouble that creeps up while an engine serves.

Figures in, findings out. Thresholds and words are data (`resources/slow/*.toml`); what an engine
does not expose stays unknown, and an alarm needs figures that were really read.
"""

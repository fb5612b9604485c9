"""How fast a plan may be: a roofline with a stated band, replaced by measured runs."""

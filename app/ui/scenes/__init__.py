"""Graphics scenes: drawings with items that can be hovered and chosen."""

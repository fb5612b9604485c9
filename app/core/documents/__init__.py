"""What each command prints as JSON: one frozen dataclass per document; schemas come from them."""

"""The support bundle: what goes in, and how everything that names somebody is taken out."""

"""The work behind the deployments service: steps, gates, watching, journal, errors."""

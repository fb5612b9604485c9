"""From host, model and goal to a plan with reasons."""

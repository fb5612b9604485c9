"""From a plan to a container, and the life of a deployment as a pure state machine."""

"""The judges of all categories; importing this package registers every one of them."""

from app.core.checks.judges import (
    containers,
    disk,
    driver,
    driver_module,
    health,
    host,
    host_limits,
    links,
    machine,
    memory,
    network,
    pcie,
    peer_traffic,
    plan,
    security,
    sharing,
    thermal,
)
from app.core.checks.registry import JUDGES

__all__ = [
    "JUDGES",
    "containers",
    "disk",
    "driver",
    "driver_module",
    "health",
    "host",
    "host_limits",
    "links",
    "machine",
    "memory",
    "network",
    "pcie",
    "peer_traffic",
    "plan",
    "security",
    "sharing",
    "thermal",
]

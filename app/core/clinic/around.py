"""What of a host weighs in on a launch that is meant for it."""

from collections.abc import Mapping

from app.core.hardware.fingerprint import Fingerprint
from app.core.versions import capability_key


def host_around(fingerprint: Fingerprint) -> Mapping[str, str | int | float | bool | None]:
    """Return facts of a host for the rules; what was not read stays ``None``."""
    known = [key for gpu in fingerprint.gpus if (key := capability_key(gpu.compute_cap))]
    weakest = min(known, default=None)
    return {
        "host_gpus": len(fingerprint.gpus) or None,
        "host_capability": f"{weakest[0]}.{weakest[1]}" if weakest else None,
        "host_driver": fingerprint.driver_version,
    }

"""Everything that holds for each test: no screen, no real user folders, no silent warnings.

The fixtures live in `tests/fixtures/`, one module per idea.
"""

import os

from hypothesis import settings

# Before anything imports Qt.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# Nothing fails on a slow machine. (With CI set, hypothesis' own profile is the parent.)
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
# For packaging/test --quick; the whole suite tries hypothesis' usual hundred.
settings.register_profile("quick", max_examples=20)

pytest_plugins = [
    "fixtures.containers",
    "fixtures.demo",
    "fixtures.hang_guard",
    "fixtures.heartbeat",
    "fixtures.isolation",
    "fixtures.log_policy",
    "fixtures.markers",
    "fixtures.patience",
    "fixtures.qt_garbage",
    "fixtures.skip_policy",
    "fixtures.ssh_host",
    "fixtures.time",
    "pytester",  # pytest takes it only here
]

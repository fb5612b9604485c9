"""Choose between window and command line; import neither before the choice is made."""

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.core.documents.tour import TourDocument, TourRequest


def _open_window() -> int:
    """Open the window; Qt is imported only now."""
    from app.ui.app import main as window_main

    return window_main()


def _run_tour(request: "TourRequest") -> "TourDocument":
    """Drive the window through the whole main job on the demo host."""
    from app.ui.tour import run_tour

    return run_tour(request)


def main(argv: Sequence[str] | None = None) -> int:
    """Run Pitwall and return the exit code (DESIGN, section 4)."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    # Looking for plugins of pydantic among all installed packages takes longer than its work.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from app.cli.main import run

    return run(arguments, open_window=_open_window, run_tour=_run_tour)


if __name__ == "__main__":
    sys.exit(main())

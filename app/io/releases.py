"""The newest released version as a package index tells it: one GET, through a proxy if set."""

import json
from typing import Final

from app.core.errors import ErrorCode, HostError

_LARGEST: Final = 16 * 1024 * 1024
_TIMEOUT_S: Final = 10.0


async def newest_release(url: str, *, proxy: str = "") -> str:
    """Return the version that a JSON document of a package index names as newest.

    Source: Python packaging user guide, “Index JSON API”: ``info.version``.

    Raises:
        HostError: HOST_UNREACHABLE, when nothing that can be read came.
    """
    import aiohttp

    timeout = aiohttp.ClientTimeout(total=_TIMEOUT_S)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, trust_env=not proxy) as session,
            session.get(url, proxy=proxy or None) as answer,
        ):
            answer.raise_for_status()
            text = await answer.content.read(_LARGEST)
        return str(json.loads(text)["info"]["version"])
    except (aiohttp.ClientError, TimeoutError, ValueError, KeyError, TypeError) as exc:
        raise HostError(
            ErrorCode.HOST_UNREACHABLE,
            {"host": url},
            cause=f"{url} did not tell the newest version: {str(exc) or type(exc).__name__}.",
            remedy="Check address and proxy in the settings; nothing else needs the internet.",
        ) from exc

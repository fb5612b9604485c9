"""docker-py over a host's channels: each pooled HTTP connection is one channel.

docker-py's own ``ssh://`` opens a second SSH connection, ignores ports in the configuration and
needs the docker command on the host; this needs none of it.
"""

from collections.abc import Callable
from typing import Any

import docker
import requests
import urllib3.connection
import urllib3.connectionpool
from requests.adapters import HTTPAdapter

from app.io.transport.base import Channel
from app.io.transport.channel_socket import ChannelSocket
from app.io.transport.host_threads import adopt

Opener = Callable[[float], Channel]
"""Open a channel to the engine within so many seconds. Blocking."""

BASE_URL = "http://localhost:2375"
"""Never connected to: the session's only adapter sends over channels."""
CALL_TIMEOUT_S = 30.0
_READ_TIMEOUT_S = 120
"""Longer than any call's own deadline, which closes the channel."""
_OLDEST_API = "1.41"
"""Docker 20.10; only a placeholder until the engine says what it speaks."""


class _Connection(urllib3.connection.HTTPConnection):
    def __init__(self, opener: Opener, timeout_s: float) -> None:
        super().__init__("localhost", timeout=timeout_s)
        self._opener = opener

    def connect(self) -> None:
        limit_s = self.timeout if isinstance(self.timeout, int | float) else CALL_TIMEOUT_S
        channel = ChannelSocket(self._opener(float(limit_s)))
        channel.settimeout(limit_s)
        self.sock = channel  # all that http.client asks of a socket

    @property
    def is_connected(self) -> bool:
        # urllib3 would select() on a file number, which a channel does not have.
        return isinstance(self.sock, ChannelSocket) and self.sock.is_open


class _Pool(urllib3.connectionpool.HTTPConnectionPool):
    def __init__(self, opener: Opener, timeout_s: float, maxsize: int) -> None:
        super().__init__("localhost", timeout=timeout_s, maxsize=maxsize, block=False)
        self._opener, self._timeout_s = opener, timeout_s

    def _new_conn(self) -> _Connection:
        return _Connection(self._opener, self._timeout_s)

    def _get_conn(self, timeout: float | None = None) -> Any:  # noqa: ANN401 - as in the base
        connection = super()._get_conn(timeout)
        if isinstance(connection, _Connection) and isinstance(connection.sock, ChannelSocket):
            adopt(connection.sock.channel)  # now the current call's to close
        return connection


class ChannelAdapter(HTTPAdapter):
    """Send requests of a session over channels."""

    def __init__(self, opener: Opener, *, timeout_s: float, maxsize: int) -> None:
        self._channels = _Pool(opener, timeout_s, maxsize)
        super().__init__()

    def get_connection_with_tls_context(self, *_args: object, **_kwargs: object) -> Any:  # noqa: ANN401 - as in the base
        """Return the one pool."""
        return self._channels

    def request_url(self, request: requests.PreparedRequest, _proxies: object) -> str:
        """Return the path; there is no proxy on a channel."""
        return request.path_url

    def close(self) -> None:
        """Close the pooled channels."""
        self._channels.close()
        super().close()


def api_client(
    opener: Opener, *, version: str = _OLDEST_API, pool_size: int = 16, keep_alive: bool = True
) -> docker.APIClient:
    """Return docker-py's client over channels; no request is sent yet.

    Args:
        opener: Opens one channel to the engine.
        version: API version in the paths.
        pool_size: Idle channels that are kept; more than the host has threads.
        keep_alive: False closes each channel after its answer, for channels that are scarce.
    """
    api = docker.APIClient(base_url=BASE_URL, version=version, timeout=_READ_TIMEOUT_S)
    api.trust_env = False  # no proxy or netrc of this desktop belongs here
    if not keep_alive:
        api.headers["Connection"] = "close"
    adapter = ChannelAdapter(opener, timeout_s=_READ_TIMEOUT_S, maxsize=pool_size)
    for prefix in ("http://", "https://"):
        api.mount(prefix, adapter)
    return api

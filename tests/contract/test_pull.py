"""Pulling with the genuine dockerd from a registry that lives as long as the test."""

import hashlib
import http.server
import io
import json
import tarfile
import threading

import pytest

from app.io.docker.api import connect_docker
from app.io.transport.local import LocalTransport


def _layer(size):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        import random

        data = random.Random(1).randbytes(size)
        entry = tarfile.TarInfo("data")
        entry.size = size
        tar.addfile(entry, io.BytesIO(data))
    return file.getvalue()


class Registry:
    """One image with one layer: what dockerd asks of the registry API, version 2."""

    def __init__(self):
        layer = _layer(300_000)
        config = json.dumps(
            {
                "architecture": "amd64",
                "os": "linux",
                "config": {"Labels": {"pitwall-test": "pull"}},
                "rootfs": {"type": "layers", "diff_ids": [self._digest(layer)]},
            }
        ).encode()
        kind = "application/vnd.docker.distribution.manifest.v2+json"
        manifest = json.dumps(
            {
                "schemaVersion": 2,
                "mediaType": kind,
                "config": self._part("application/vnd.docker.container.image.v1+json", config),
                "layers": [self._part("application/vnd.docker.image.rootfs.diff.tar", layer)],
            }
        ).encode()
        answers = {f"/v2/tiny/blobs/{self._digest(data)}": (data, "") for data in (layer, config)}
        for name in ("1", self._digest(manifest)):
            answers[f"/v2/tiny/manifests/{name}"] = (manifest, kind)
        answers["/v2/"] = (b"{}", "application/json")
        self._server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), self._handler(answers, self._digest(manifest))
        )
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.image = f"127.0.0.1:{self._server.server_address[1]}/tiny:1"

    @staticmethod
    def _digest(data):
        return "sha256:" + hashlib.sha256(data).hexdigest()

    def _part(self, kind, data):
        return {"mediaType": kind, "size": len(data), "digest": self._digest(data)}

    @staticmethod
    def _handler(answers, digest):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                data, kind = answers.get(self.path, (b"", None))
                self.send_response(200 if kind is not None else 404)
                self.send_header("Content-Type", kind or "application/octet-stream")
                self.send_header("Content-Length", str(len(data)))
                if "manifests" in self.path:
                    self.send_header("Docker-Content-Digest", digest)
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(data)

            do_HEAD = do_GET  # noqa: N815 - the name http.server calls

            def log_message(self, *_args):
                pass

        return Handler

    def stop(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


@pytest.fixture
def registry():
    registry = Registry()
    yield registry
    registry.stop()


async def test_pull_shows_progress_and_the_image_is_there(docker_engine, docker_client, registry):
    transport = LocalTransport()
    engine = await connect_docker(transport, socket_path=docker_engine)
    try:
        steps = [step async for step in engine.pull(registry.image)]
        assert await engine.image(registry.image)
        await engine.tag(registry.image, "pitwall-test/by-its-own-name:1")
        await engine.tag(registry.image, "pitwall-test/x@sha256:0a")  # no name to give
        assert await engine.image("pitwall-test/by-its-own-name:1")
        last = steps[-1]
        assert last.total_bytes == last.done_bytes > 0
        assert all(step.done_bytes <= (step.total_bytes or step.done_bytes) for step in steps)
    finally:
        for name in ("pitwall-test/by-its-own-name:1", registry.image):
            docker_client.images.remove(name, force=True)
        await engine.close()
        await transport.close()

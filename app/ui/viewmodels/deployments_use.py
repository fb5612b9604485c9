"""How a client uses a deployment from this desk: a command line that works as it is."""

import json
import shlex

from app.core.events import DeploymentSnapshot


def curl_text(snapshot: DeploymentSnapshot, api_key: str | None) -> str:
    """Return a `curl` call through the open tunnel; the key stands in it in clear."""
    body = {
        "model": snapshot.model_name,
        "messages": [{"role": "user", "content": "Hello"}],
        "max_tokens": 64,
    }
    parts = [f"curl http://127.0.0.1:{snapshot.tunnel_port}/v1/chat/completions"]
    if api_key:
        parts.append(f"-H {shlex.quote(f'Authorization: Bearer {api_key}')}")
    parts.append("-H 'Content-Type: application/json'")
    parts.append(f"-d {shlex.quote(json.dumps(body, ensure_ascii=False))}")
    return " \\\n  ".join(parts)

"""What ``pitwall tunnel`` says: an address that clients can use, and the key only when wanted."""

import json
import shlex

from app.cli.tunnel import curl_line, tunnel_text
from app.core.documents.operate import TunnelDocument


def tunnel(*, needs=True, key=None):
    return TunnelDocument(
        ref="gpu1/chat",
        url="http://127.0.0.1:4000",
        local_port=4000,
        api_base="http://127.0.0.1:4000/v1",
        model="it's 千问",
        needs_api_key=needs,
        api_key=key,
    )


def test_tunnel_prints_the_base_url_alone_on_its_first_line():
    assert tunnel_text(tunnel()).splitlines()[0] == "http://127.0.0.1:4000/v1"


def test_key_is_printed_only_when_it_is_shown():
    assert "API key: k3y" in tunnel_text(tunnel(key="k3y"))
    assert "API key" not in tunnel_text(tunnel())


def test_curl_line_is_one_for_the_shell():
    words = shlex.split(curl_line(tunnel(key="k3y")))

    assert words[:2] == ["curl", "http://127.0.0.1:4000/v1/chat/completions"]
    assert "Authorization: Bearer k3y" in words
    assert json.loads(words[-1])["model"] == "it's 千问"


def test_curl_line_leaves_a_hidden_key_to_the_shell_and_needs_none_without():
    assert '"Authorization: Bearer $API_KEY"' in curl_line(tunnel())
    assert "Authorization" not in curl_line(tunnel(needs=False))

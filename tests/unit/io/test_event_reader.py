"""Server-sent events, whatever the pieces they arrive in."""

import pytest

from app.io.http_client import EventReader


def read(data, size):
    reader = EventReader()
    return [
        payload
        for start in range(0, len(data), size)
        for payload in reader.feed(data[start : start + size])
    ]


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_payloads_come_out_whole(size):
    data = (
        b': comment\n\nevent: x\ndata: {"a": 1}\n\ndata:two\r\n\r\ndata: l1\ndata: l2\n\nid: 3\n\n'
    )
    assert read(data, size) == [b'{"a": 1}', b"two", b"l1\nl2"]


def test_event_without_its_end_does_not_count():
    assert read(b"data: cut", 100) == []

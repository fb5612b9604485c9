"""Documents and their encoding."""

import json
import math
from dataclasses import dataclass
from enum import StrEnum

from app.core.documents.encode import to_json, to_plain
from app.core.documents.failure import ErrorDocument, error_body
from app.core.documents.hosts import host_entry
from app.core.documents.operate import deployment_entry
from app.core.errors import ErrorCode, HostError
from app.core.events import (
    DeploymentSnapshot,
    DeploymentState,
    HostKind,
    HostSettings,
    HostSnapshot,
    HostState,
)
from app.core.ids import HostId


class _Kind(StrEnum):
    A = "a"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Value:
    kind: _Kind
    items: tuple[int, ...]


def test_values_become_plain_and_nan_becomes_null():
    value = {"x": _Value(kind=_Kind.A, items=(1, 2)), "n": math.nan, "f": 1.5, "o": object}
    plain = to_plain(value)
    assert plain["x"] == {"kind": "a", "items": [1, 2]}
    assert plain["n"] is None
    assert plain["f"] == 1.5
    assert isinstance(plain["o"], str)


def test_json_keeps_chinese_readable():
    assert to_json({"名": "值"}) == '{"名": "值"}'


def _error():
    return HostError(ErrorCode.HOST_UNREACHABLE, {"port": 22}, cause="No answer.", remedy="Check.")


def test_error_document_has_the_four_promised_keys():
    document = json.loads(
        to_json(ErrorDocument(schema="pitwall.ps/1", error=error_body(_error().info)))
    )
    assert document["schema"] == "pitwall.ps/1"
    assert document["error"]["code"] == "host_unreachable"
    assert document["error"]["message"] == "No answer. Check."
    assert {"cause", "remedy"} <= set(document["error"])


def test_host_entry_of_a_host_never_seen_knows_nothing():
    settings = HostSettings(id=HostId("1"), name="demo", kind=HostKind.DEMO)
    entry = host_entry(HostSnapshot(revision=1, settings=settings, state=HostState.DISCONNECTED))
    assert entry.simulated
    assert entry.gpus is None
    assert entry.last_seen_at is None


def test_deployment_entry_carries_the_error():
    snapshot = DeploymentSnapshot(
        revision=1, host_id=HostId("1"), host_name="h", name="n", state=DeploymentState.FAILED,
        error=_error().info,
    )  # fmt: skip
    entry = deployment_entry(snapshot)
    assert entry.ref == "h/n"
    assert entry.error is not None
    assert entry.error.remedy == "Check."

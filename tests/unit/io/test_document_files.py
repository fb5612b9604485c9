"""Values to JSON and back, and schemas that fit them."""

import math

import pytest

from app.core.deployment.spec import ContainerSpec, DeploymentSpec, Profile, ProfileFlag
from app.core.errors import DataFileError, ErrorCode
from app.core.hardware.fingerprint import Fingerprint, Gpu, HostSource, UnknownReason
from app.core.hardware.sections import RawSection
from app.io.documents import from_json, json_schema, to_json
from app.io.schemas import all_schemas, printed_documents, schema_name

FINGERPRINT = Fingerprint(
    source=HostSource.SSH,
    taken_at="2026-11-29T00:00:00Z",
    parser_version="1",
    gpus=(Gpu(index=0, name="NVIDIA H200", memory_total_mib=143771),),
    unknown={"gpus.0.power_w": UnknownReason.NOT_REPORTED},
    sections=(RawSection(name="uname", command="uname -a", exit_code=0, stdout="Linux 系统\n"),),
)
SPEC = DeploymentSpec(
    host_id="h",
    name="chat",
    revision=2,
    engine="vllm",
    engine_version="0.26.0",
    model_name="m",
    model_path="/models/m",
    image="i",
    image_id="sha256:0",
    container=ContainerSpec(
        name="c", image="i", command=("--port", "80"), container_port=80, host_port=0
    ),
    plan_digest="d",
)
PROFILE = Profile(
    name="p",
    engine="vllm",
    engine_version="0.26.0",
    image="i",
    model="ask",
    flags=(ProfileFlag(name="--x", value=None),),
)


@pytest.mark.parametrize("value", [FINGERPRINT, SPEC, PROFILE], ids=lambda v: type(v).__name__)
def test_document_survives_the_round_trip(value):
    assert from_json(type(value), to_json(value)) == value


def test_text_stays_readable_in_json():
    assert "系统" in to_json(FINGERPRINT)


def test_number_that_is_none_becomes_null():
    assert to_json({"a": math.nan}).replace(" ", "") == '{"a":null}'


def test_keys_of_a_newer_writer_are_passed_over():
    text = to_json(PROFILE)[:-1] + ', "brand_new": 1}'
    assert from_json(Profile, text) == PROFILE


def test_broken_document_is_refused_with_every_problem():
    with pytest.raises(DataFileError) as caught:
        from_json(Profile, '{"name": 1, "engine": "x"}', code=ErrorCode.PROFILE_BROKEN)
    assert caught.value.code is ErrorCode.PROFILE_BROKEN
    assert "name:" in caught.value.details
    assert "engine_version:" in caught.value.details


def test_text_that_is_no_json_is_refused():
    with pytest.raises(DataFileError) as caught:
        from_json(Profile, "garbage")
    assert caught.value.code is ErrorCode.DATA_FILE_BROKEN


def test_schema_fixes_the_documents_name():
    schema = json_schema(Profile)
    assert schema["properties"]["schema"]["const"] == "pitwall.profile/1"
    assert "schema" in schema["required"]


def test_every_printed_document_has_a_schema():
    schemas = all_schemas()
    assert {schema_name(shape) for shape in printed_documents()} <= set(schemas)
    assert {"fingerprint", "profile", "deployment"} <= set(schemas)


def test_command_with_several_forms_offers_the_error_too():
    forms = all_schemas()["hosts"]["anyOf"]
    names = {form["$ref"].rsplit("/", maxsplit=1)[-1] for form in forms}
    assert {"HostsDocument", "HostRemovedDocument", "ErrorDocument"} <= names

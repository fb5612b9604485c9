"""Broken, huge and hostile launch texts end in an answer, soon, and show no secret."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.core.clinic.test_samples import SAMPLES, knowledge

from app.core.clinic.origin import Chars
from app.core.clinic.recognise import MOST_CHARACTERS
from app.core.clinic.report import examine
from app.core.clinic.shell import read_commands
from app.core.documents.clinic import launch_result
from app.core.documents.encode import to_json
from app.core.inspect.kinds import InspectKind
from app.core.inspect.launches import LaunchReader
from app.core.inspect.mask import Masker
from app.core.inspect.recognise import HEAD_CHARACTERS, inspect_long

PIECES = st.sampled_from(
    ["docker run ", "vllm/vllm-openai:v0.18.1 ", "vllm serve ", "--port", "=", " 8000", "\\\n",
     "\\ \n",
     "'", '"', "${A:-", "}", "$(", ")", "`", "#", "\n", "A=$A$A\n", "(", "[", "]", "{", ": ", "- ",
     "services:\n", "image: ", "command: ", "location / {", "proxy_pass http://a;", "}", "<<EOF\n",
     "[Service]\n", "ExecStart=", "&a ", "*a", "<<: *a", "\t", "—x", "ollama serve",
     "<key>", "\x00"]
)  # fmt: skip
HUGE = {
    "doubling variables": "A=xxxxxxxxxxxxxxxx\n" + "A=$A$A\n" * 4000 + "vllm serve $A $A $A\n",
    "open quotes": "vllm serve '" + '"\'"' * 30_000,
    "nested defaults": "vllm serve " + "${A:-" * 20_000,
    "here-documents": "<<A\nvllm serve\n" * 9_000,
    "arrays": "B=(a b c)\n" + "B+=(\"${B[@]}\")\n" * 5_000 + "vllm serve ${B[@]}\n",
    "many commands": "vllm serve a --port 1\n" * 5_000,
    "a long word": "vllm serve " + "a" * 110_000,
    "many flags": "vllm serve " + "--zz " * 20_000,
    "yaml brackets": "image: vllm\nx: " + "[" * 50_000,
    "yaml aliases": "image: a\nvllm: &a [x]\n" + "".join(
        f"b{i}: &b{i} [*{'a' if i == 0 else f'b{i - 1}'}, *{'a' if i == 0 else f'b{i - 1}'}]\n"
        for i in range(40)
    ),
    "nginx blocks": "location / {\n proxy_pass http://a;\n" * 3_000,
    "prompts": "user@" + "a" * 100_000 + " vllm serve",
}  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=30))
def test_any_pieces_are_answered(pieces: list[str]) -> None:
    text = "".join(pieces)

    clinic = examine(text, knowledge())

    if clinic is not None:
        json.loads(to_json(launch_result(clinic, Masker(clinic))))
        assert all(0 <= r.span.begin <= r.span.end <= len(text) for r in clinic.remarks)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([s["text"] for s in SAMPLES]), st.data())
def test_a_text_cut_anywhere_is_answered(text: str, data: st.DataObject) -> None:
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, len(text)))

    clinic = examine(text[begin:end], knowledge())

    assert clinic is None or clinic.corrected is None or isinstance(clinic.corrected, str)


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE.keys())
def test_huge_text_is_answered(text: str) -> None:
    examine(text[: MOST_CHARACTERS + 1000], knowledge())


@given(st.text(max_size=200))
def test_words_stand_where_they_say(text: str) -> None:
    for command in read_commands(Chars.whole(text)):
        for word in command.words:
            if word.is_literal:
                assert text[word.span.begin : word.span.end] == word.text


SECRETS = ("sk-planted-0123456789", "hf_plantedABCDEFGH1234", "hunter2-planted")


@pytest.mark.parametrize(
    "text",
    [
        (f"VLLM_API_KEY={SECRETS[0]} HF_TOKEN={SECRETS[1]} vllm serve m --api-key {SECRETS[2]} "
        "--max-model-lenn 4"),
        (f"docker run --gpus all -e HF_TOKEN={SECRETS[1]} -e VLLM_API_KEY='{SECRETS[0]}' "
        f"vllm/vllm-openai:v0.18.1 m --api-key={SECRETS[2]} --max-model-lenn 4"),
        ("services:\n  a:\n    image: vllm/vllm-openai:v0.18.1\n    environment:\n"
        f"      HF_TOKEN: {SECRETS[1]}\n      DB_PASSWORD: {SECRETS[2]}\n"
        f"    command: --model m --api-key {SECRETS[0]} --max-model-lenn 4\n"),
        (f'[Service]\nEnvironment="HF_TOKEN={SECRETS[1]}"\n'
        f"ExecStart=/opt/v/bin/vllm serve m --api-key {SECRETS[0]} --max-model-lenn 4\n"
        f"Environment=ADMIN_PASSWORD={SECRETS[2]}\n"),
        (f"export API_KEY={SECRETS[0]}\npython -m sglang.launch_server --model-path m "
        f"--api-key $API_KEY --context_length 4 # {SECRETS[1]}\n"),
    ],
    ids=["script", "docker", "compose", "unit", "variable"],
)  # fmt: skip
def test_no_secret_is_printed(text: str) -> None:
    clinic = examine(text, knowledge())

    assert clinic is not None
    printed = to_json(launch_result(clinic, Masker(clinic)))
    assert not [secret for secret in SECRETS if secret in printed]
    assert clinic.corrected is not None  # the corrected text is printed, too


@pytest.mark.parametrize("secret", ["sk-proj-planted0123456789", "hf_plantedABCDEFGH1234"])
def test_a_secret_among_stray_words_is_not_quoted(secret: str) -> None:
    clinic = examine(
        f"docker run --gpus all vllm/vllm-openai:v0.10.0 --model m {secret}", knowledge()
    )

    assert clinic is not None
    assert "stray" in {remark.id for remark in clinic.remarks}
    assert secret not in to_json(launch_result(clinic, Masker(clinic)))


def test_a_paste_of_some_mib_is_read_by_its_head() -> None:
    reader = LaunchReader(knowledge=knowledge)
    text = "docker run vllm/vllm-openai:v0.10.0 m " + "--x \\\n" * 700_000

    found = inspect_long(text, reader)

    assert found.kind is InspectKind.DOCKER_RUN
    assert found.clinic is not None
    assert len(found.clinic.text) <= HEAD_CHARACTERS

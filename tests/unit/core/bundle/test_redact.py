"""Nothing that names somebody survives, in whatever writing; what helps to diagnose does."""

import base64
import html
import json
import re
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.bundle.kinds import RedactionKind
from app.core.bundle.redact import Redactor
from app.core.bundle.secrets import KnownValue

K = RedactionKind
SECRET = "wq7/Zp+L9=x'\"Tr0ub4dor"


def redacted(text, *known, kept=()):
    redactor = Redactor(
        [KnownValue(value=value, kind=K.SECRET.value) for value in known], kept_paths=kept
    )
    redactor.learn(text)
    return redactor.text(text)


WRITINGS = {
    "plain": lambda s: s,
    "in json": json.dumps,
    "in json in json": lambda s: json.dumps(json.dumps({"k": s})),
    "percent": lambda s: quote(s, safe=""),
    "form": quote_plus,
    "percent twice": lambda s: quote(quote(s, safe=""), safe=""),
    "html": html.escape,
    "hex": lambda s: s.encode().hex(),
    "HEX": lambda s: s.encode().hex().upper(),
    "base64": lambda s: base64.b64encode(s.encode()).decode(),
    "base64 behind one": lambda s: base64.b64encode(b"u" + s.encode() + b"!!").decode(),
    "base64 behind two": lambda s: base64.b64encode(b"ab" + s.encode() + b"tail").decode(),
    "base64 of basic auth": lambda s: base64.b64encode(b"user:" + s.encode()).decode(),
    "base64 for addresses": lambda s: base64.urlsafe_b64encode(b"x:" + s.encode()).decode(),
    "cut by a line end": lambda s: s[:9] + "\n" + s[9:],
    "cut by a stamped line": lambda s: f"{s[:5]}\n2026-11-29T10:11:12.123456789Z {s[5:]}",
    "cut in json": lambda s: s[:7] + "\\n" + s[7:],
    "in a variable": lambda s: f"VLLM_API_KEY={s}",
    "in argv": lambda s: f"--api-key {s} --port 8000",
    "in a python list": lambda s: f"['--api-key', {s!r}]",
}


@pytest.mark.parametrize("write", WRITINGS.values(), ids=WRITINGS)
@pytest.mark.parametrize("secret", [SECRET, "aB3-_token_urlsafe-43x", "correct horse battery"])
def test_known_secret_is_found_in_every_writing(write, secret):
    out = redacted(f"before {write(secret)} after", secret)

    assert secret not in out
    assert secret not in out.replace("\n", "")
    for word in re.findall(r"[A-Za-z0-9+/_-]{8,}={0,2}", out):
        padded = word.rstrip("=").replace("-", "+").replace("_", "/")
        for start in range(4):
            piece = padded[start:]
            decoded = base64.b64decode(piece + "=" * (-len(piece) % 4) if len(piece) % 4 != 1
                                       else piece[:-1])  # fmt: skip
            assert secret.encode() not in decoded
    assert out.startswith("before ")
    assert "<secret-1>" in out


@given(
    secret=st.text(
        alphabet=st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_characters="\\"),
        min_size=8,
        max_size=40,
    ),
    cut=st.integers(min_value=1, max_value=7),
)
@settings(max_examples=20, deadline=None)
def test_any_known_secret_is_found_whole_escaped_and_cut(secret, cut):
    text = f"a {secret} b {json.dumps(secret)} c {quote(secret)} d {secret[:cut]}\n{secret[cut:]} e"

    redactor = Redactor([KnownValue(value=secret, kind="secret")])
    out = redactor.text(text)

    assert secret not in out
    assert not redactor.left_in(out)


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("HF_TOKEN=hf_abcdefghijKLMNOP", "hf_abcdefghijKLMNOP"),
        ("hf_abcdef\n2026-11-29T10:00:00.1Z ghij12KLMNOP next", "ghij12KLMNOP"),
        ("OPENAI_API_KEY: sk-proj-abc123DEF456", "sk-proj-abc123DEF456"),
        ("token=ghp_0123456789abcdefABCDEF", "ghp_0123456789abcdefABCDEF"),
        ("NGC_API_KEY nvapi-AbCdEf0123456789", "nvapi-AbCdEf0123456789"),
        ("key AKIAIOSFODNN7EXAMPLE used", "AKIAIOSFODNN7EXAMPLE"),
        ("Authorization: Bearer abc.DEF-123456", "abc.DEF-123456"),
        ("'authorization': 'Basic dXNlcjpzZWNyZXQ='", "dXNlcjpzZWNyZXQ="),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0", "eyJzdWIiOiIx"),
        ("--api-key hunter2secret --x", "hunter2secret"),
        ('"--hf-token", "letmein-now"', "letmein-now"),
        ("{'api_key': ['k1-private']}", "k1-private"),
        ('{\\"password\\": \\"pa55 word\\"}', "pa55 word"),
        ("DB_PASSWORD=1234", "1234"),
        ("passphrase: open sesame", "open"),
        ("http://bob:s3cret@proxy:3128/", "s3cret"),
        ("https:\\/\\/bob:s3cret@host\\/x", "s3cret"),
        (
            "-----BEGIN PRIVATE KEY-----\nb3BlbnNz\naC1rZXk\n-----END PRIVATE KEY-----",
            "b3BlbnNz",
        ),
        ("X-Amz-Signature=abcdef0123456789", "abcdef0123456789"),
        ("made aZ3kQ9xW7vB1nM5tR8yU2iO4pL6jH0gF now", "aZ3kQ9xW7vB1nM5tR8yU2iO4pL6jH0gF"),
        ("write to jo.doe+x@mail.acme-corp.de please", "jo.doe"),
        ("user%40acme-corp.de", "acme-corp"),
        ("jo\\u0040acme-corp.de", "acme-corp"),
        ("bind 10.20.30.40:29500", "10.20.30.40"),
        ("host=172.16.5.4", "172.16.5.4"),
        ("ip-10-1-2-3.ec2.internal", "10-1-2-3"),
        ("[2001:db8:1::42]:8000", "2001:db8:1::42"),
        ("fe80::1ff:fe23:4567:890a%eth0 up", "fe80::1ff:fe23:4567:890a"),
        ("::ffff:10.9.8.7", "10.9.8.7"),
        ("link/ether 02:42:ac:11:00:02 brd", "02:42:ac:11:00:02"),
        ("02-42-AC-11-00-02", "02-42-AC-11-00-02"),
        ("guid a088:c203:00ab:1234", "a088:c203:00ab:1234"),
        ("GPU-1b2c3d4e-1111-2222-3333-444455556666", "1b2c3d4e"),
        ("machine-id 0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef"),
        ("Serial Number : 1654321098765", "1654321098765"),
        ("S/N: QX99-17", "QX99-17"),
        ("ssh gpu-rack7.dc1.acme-corp.net up", "gpu-rack7"),
        ("gpu-node-07:123:456 [0] NCCL INFO x", "gpu-node-07"),
        ("Nov 29 10:11:12 gpu-node-07 dockerd[99]: x", "gpu-node-07"),
        ("2026-11-29T10:11:12+0000 gpu-node-07 kernel[0]: x", "gpu-node-07"),
        ("Linux gpu-node-07 5.15.0-91-generic", "gpu-node-07"),
        ("[c10d] [gpu-node-07]:29500 refused", "gpu-node-07"),
        ("HOSTNAME=gpu-node-07", "gpu-node-07"),
        ("grpc://gpu-node-07:8001", "gpu-node-07"),
        ("scp jane@gpu-node-07:/x .", "jane"),
        ("uid=1000(jane) gid=1000(jane)", "jane"),
        ("Accepted publickey for user jane", "jane"),
        ("USER=jane", "jane"),
        ("/home/jane/models/m.gguf", "jane"),
        ("C:\\Users\\jane\\models", "jane"),
        ("C:\\\\Users\\\\jane\\\\models", "jane"),
        ("\\\\fileserver\\share\\acme", "acme"),
        ("loading /data/acme/secret-project/model.safetensors", "secret-project"),
        ("path '/mnt/My Acme Models/a b.gguf' x", "Acme Models"),
        ("%2Fdata%2Facme%2Fmodel", "acme"),
        ("~jane/models/acme", "acme"),
        ("\\/data\\/acme\\/model", "acme"),
    ],
)
def test_what_nobody_told_is_found_by_its_looks(text, gone):
    assert gone not in redacted(f"first line\n{text}\nlast line")


@pytest.mark.parametrize(
    "text",
    [
        "INFO 11-29 12:34:56 [core.py:97] Initializing a V1 LLM engine (v0.26.0)",
        'File "/usr/local/lib/python3.12/dist-packages/vllm/v1/engine/core.py", line 33, in run',
        "ValueError: max_num_batched_tokens=8192, pad_token_id=0, eos_token='</s>'",
        "nvidia-cudnn-cu12==9.10.2.21 torch 2.9.0+cu128 libcudnn.so.9.10.2.21",
        "Driver Version: 580.159.03 CUDA Version: 13.0",
        "https://huggingface.co/Qwen/Qwen3-8B ghcr.io/ggml-org/llama.cpp:server-b10434",
        "Uvicorn running on http://0.0.0.0:8000 and http://127.0.0.1:8000",
        "sha256:0f6c4f1b6a0d2a4a8a7d6e5c4b3a29180716253443526170f1e2d3c4b5a69788",
        "RuntimeError: CUDA error: device-side assert triggered at c10::Error std::bad_alloc",
        "1234 tokens/s, TTFT 0.3 s, and/or 50%",
        "Route: /load, Methods: GET",
        "Route: /v1/responses/{response_id}/cancel, Methods: POST",
        "0000:17:00.0 Xid 79 pid=1234",
        "undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationENSt7__cxx1112basic_stringIcE",
        "torch.cuda.OutOfMemoryError at model_runner.py:120 in self.model.forward",
        "max seq len (8192) is larger than the KV cache (4000 tokens)",
    ],
)
def test_what_helps_to_diagnose_stays(text):
    assert redacted(text) == text


def test_paths_inside_the_container_stay():
    text = "llama_model_load: /models/tiny.gguf and /srv/acme/tiny.gguf"

    out = redacted(text, kept=("/models/tiny.gguf",))

    assert out == "llama_model_load: /models/tiny.gguf and <path-1>.gguf"


def test_the_same_thing_has_the_same_stand_in_everywhere():
    redactor = Redactor()
    texts = ("a 10.0.0.7 b 10.0.0.8", "10.0.0.7 again")
    for text in texts:
        redactor.learn(text)

    assert [redactor.text(text) for text in texts] == [
        "a <ipv4-1> b <ipv4-2>",
        "<ipv4-1> again",
    ]
    assert redactor.counts == {K.IPV4: 3}
    assert redactor.different == {K.IPV4: 2}


def test_name_found_in_one_place_is_looked_for_in_all():
    redactor = Redactor()
    redactor.learn("HOSTNAME=gpu-node-07")

    assert redactor.text("peer gpu-node-07 died; gpu-node-077 lives") == (
        "peer <host-1> died; gpu-node-077 lives"
    )


def test_common_words_are_not_looked_for_everywhere():
    redactor = Redactor()
    for name in ("root", "gpu", "server", "vllm"):
        redactor.note(name, K.HOST)
        redactor.note(name, K.USER)

    assert redactor.text("vllm server on gpu as root") == "vllm server on gpu as root"


def test_documents_keep_their_shape_and_lose_values_by_key():
    document = {
        "Config": {
            "Hostname": "a1b2c3",
            "Env": ["HF_TOKEN=abc123secret", "PATH=/usr/bin", "NCCL_DEBUG=INFO"],
            "Cmd": ["--api-key", "plainword", "--port", "8000"],
            "User": "jane",
        },
        "NetworkSettings": {"MacAddress": "02:42:ac:11:00:02", "IPAddress": "172.17.0.2"},
        "serial": "1654X",
        "gpu_serial_number": "SN-99",
        "password": "x",
        "Mounts": [{"Source": "/data/acme models/x", "Destination": "/models/x"}],
        "count": 3,
        "none": None,
        "on": True,
    }
    redactor = Redactor(kept_paths=("/models/x",))
    redactor.learn_document(document)

    out = redactor.document(document)

    text = json.dumps(out)
    for gone in ("a1b2c3", "abc123secret", "plainword", "jane", "02:42", "172.17", "1654X",
                 "SN-99", "acme"):  # fmt: skip
        assert gone not in text, gone
    assert out["Config"]["Env"][1:] == ["PATH=/usr/bin", "NCCL_DEBUG=INFO"]
    assert out["Config"]["Cmd"][2:] == ["--port", "8000"]
    assert out["Mounts"][0]["Destination"] == "/models/x"
    assert (out["count"], out["none"], out["on"]) == (3, None, True)
    assert out["password"].startswith("<secret-")


def test_longer_secret_is_not_left_in_part():
    out = redacted("key abcdefgh12345 and abcdefgh", "abcdefgh", "abcdefgh12345")

    assert "12345" not in out


def test_big_log_is_redacted_in_reasonable_time():
    line = "INFO 11-29 12:34:56 [core.py:97] step 10.20.30.40 at /data/acme/x took 0.3 s\n"
    redactor = Redactor([KnownValue(value=SECRET, kind="secret")])
    text = line * 3000
    redactor.learn(text)

    assert "10.20.30.40" not in redactor.text(text)


def test_base64_of_what_has_its_looks_is_taken_out_whole():
    word = base64.b64encode(b"mail jo@acme-corp.de from 10.1.2.3").decode()
    harmless = base64.b64encode(b"harmless words").decode()

    assert redacted(f"blob {word} end") == "blob <secret-1> end"
    assert redacted(f"blob {harmless} end") == f"blob {harmless} end"


def test_credentials_of_an_address_are_looked_for_apart():
    redactor = Redactor()
    redactor.learn("https://svc-bob:hunter22@registry:5000/v2")

    assert redactor.text("login svc-bob with hunter22") == "login <user-1> with <secret-1>"


def test_short_host_of_a_long_name_is_looked_for_too():
    redactor = Redactor()
    redactor.note("gpu-rack7.dc1.acme.net", K.HOST)
    redactor.note("box.acme.net", K.HOST)

    assert redactor.text("gpu-rack7 up, box up") == "<host-1> up, box up"


def test_lists_and_common_values_under_telling_keys():
    document = {
        "api_keys": ["first-key", "second-key"],
        "user": "root",
        "uid": "1000",
        "serial": "",
        "path": "/data/acme models/x.gguf",
        "kept": "/usr/share/my docs/x",
    }
    redactor = Redactor()
    redactor.learn_document(document)

    out = redactor.document(document)

    assert out["api_keys"] == ["<secret-1>", "<secret-2>"]
    assert (out["user"], out["uid"], out["serial"]) == ("root", "1000", "")
    assert out["path"] == "<path-1>.gguf"
    assert out["kept"] == "/usr/share/my docs/x"


def test_code_of_the_engine_stays_in_a_traceback():
    line = 'File "/data/acme/venv/lib/python3.12/site-packages/vllm/v1/engine/core.py", line 7'

    assert redacted(line) == 'File "<path-1>/site-packages/vllm/v1/engine/core.py", line 7'

#!/usr/bin/env python3
"""NO REAL ENGINE: answers in the documented shapes of SGLang, TensorRT-LLM, LMDeploy, TGI, Ollama.

Started under an engine's own program name it reads that engine's flags, refuses others, prints
that engine's start-up lines, and serves health, models, chat, completions and metrics as that
engine does. Its answers are one fixed sentence which says so. For the tests of Pitwall only.
"""

import json
import os
import signal
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import FrameType
from typing import Any

from shapes import SHAPES, Shape, Tally

SENTENCE = "This answer is scripted for the tests of Pitwall and comes from no model at all."
LINE_S = 0.04
TOKEN_S = 0.004
STORE = Path("/root/.ollama/scripted")


class Engine:
    """One engine with its settings."""

    def __init__(self, program: str, words: list[str]) -> None:
        self.program = program
        self.shape: Shape = SHAPES[program]
        self.positional, self.flags = read_words(program, self.shape, words)
        self.tally = Tally()
        self.is_ready = False
        self.host = self.flags.get(self.shape.host, self.shape.default_host)
        self.port = int(self.flags.get(self.shape.port, str(self.shape.default_port)))
        if program == "ollama":
            host, _, port = os.environ.get("OLLAMA_HOST", "127.0.0.1:11434").partition(":")
            self.host, self.port = host, int(port or "11434")

    @property
    def models(self) -> list[str]:
        """The names that /v1/models tells."""
        if self.program == "ollama":
            return sorted(file.name for file in STORE.glob("*"))
        named = self.flags.get(self.shape.name)
        return [named or Path(self.positional[-1]).name]

    @property
    def model_file(self) -> str:
        """The model that it was given."""
        for flag in ("--model-path", "--model-id"):
            if flag in self.flags:
                return self.flags[flag]
        return self.positional[-1] if self.positional else ""

    def has_metrics(self) -> bool:
        """Whether they were turned on, where they have to be."""
        if self.program == "sglang":
            return "--enable-metrics" in self.flags
        if self.program == "trtllm-serve":
            options = self.flags.get("--extra_llm_api_options")
            return options is not None and "return_perf_metrics: true" in Path(options).read_text()
        return self.shape.metrics_path != ""

    def key(self) -> str:
        """The API key that clients must send."""
        return os.environ.get("API_KEY", "") if "launcher" in self.program else ""

    def start_lines(self) -> tuple[str, ...]:
        """Return what it prints before it is ready."""
        file = Path(__file__).resolve().with_name(f"{self.program}.start.txt")
        return tuple(file.read_text().splitlines())

    def say(self, lines: tuple[str, ...]) -> None:
        """Print lines of a start."""
        listens = f"{self.host}:{self.port}"
        places = {"url": f"http://{listens}", "listens": listens, "model": self.model_file}
        for line in lines:
            time.sleep(LINE_S)
            print(line.format(**places), flush=True)


def read_words(program: str, shape: Shape, words: list[str]) -> tuple[list[str], dict[str, str]]:
    """Split a command line; what the engine does not know ends the start as it does there."""
    positional, flags, rest = [], {}, list(words)
    while rest:
        word = rest.pop(0)
        if word in shape.takes and rest:
            flags[word] = rest.pop(0)
        elif word in shape.switches:
            flags[word] = ""
        elif word.startswith("-"):
            sys.exit(f"{program}: error: unrecognized arguments: {word}")
        elif word not in ("serve", "api_server"):
            positional.append(word)
    return positional, flags


class Handler(BaseHTTPRequestHandler):
    """Answers as the engine does."""

    protocol_version = "HTTP/1.1"
    engine: Engine

    def log_message(self, *_arguments: object) -> None:
        """Say nothing of requests."""

    def do_HEAD(self) -> None:
        """Answer a check that wants no body."""
        self.do_GET()

    def do_GET(self) -> None:
        """Health, models, metrics."""
        engine, path = self.engine, self.path.partition("?")[0]
        if not engine.is_ready:
            self._send(503, "")
        elif path == "/" and engine.program == "ollama":
            self._send(200, "Ollama is running")
        elif path == "/health" and engine.program != "ollama":
            healthy = engine.program == "lmdeploy"
            self._send(200, json.dumps({"status": "healthy"}) if healthy else "")
        elif path == "/v1/models":
            models = [{"id": name, "object": "model"} for name in engine.models]
            self._send_json(200, {"object": "list", "data": models})
        elif path == engine.shape.metrics_path and engine.has_metrics():
            self._send(200, "\n".join(engine.shape.metrics(engine.tally)) + "\n")
        else:
            self._send_json(404, {"detail": "Not Found"})

    def do_POST(self) -> None:
        """Chat and completions."""
        body = self._body()
        if self.engine.key() and self.headers["Authorization"] != f"Bearer {self.engine.key()}":
            self._send_json(401, {"error": "Unauthorized"})
        elif self.path not in ("/v1/chat/completions", "/v1/completions"):
            self._send_json(404, {"detail": "Not Found"})
        elif self.engine.program == "ollama" and body.get("model") not in self.engine.models:
            message = f"model '{body.get('model')}' not found"
            self._send_json(404, {"error": {"message": message}})
        else:
            self._answer(body, is_chat="chat" in self.path)

    def _body(self) -> dict[str, Any]:
        return json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))) or b"{}")

    def _answer(self, body: dict[str, Any], *, is_chat: bool) -> None:
        tally, began_s = self.engine.tally, time.monotonic()
        words = SENTENCE.split(" ")[: int(body.get("max_tokens") or 16)]
        pieces = [word if n == 0 else f" {word}" for n, word in enumerate(words)]
        usage = {"prompt_tokens": 12, "completion_tokens": len(pieces)}
        tally.running += 1
        try:
            if body.get("stream"):
                self._stream(body, pieces, usage, is_chat=is_chat)
            else:
                text = "".join(pieces)
                message = {"message": {"role": "assistant", "content": text}}
                choice = {"index": 0, "finish_reason": "length"} | (
                    message if is_chat else {"text": text}
                )
                kind = "chat.completion" if is_chat else "text_completion"
                self._send_json(200, self._document(body, kind, [choice]) | {"usage": usage})
        finally:
            tally.running -= 1
            tally.prompt_tokens += 12
            tally.output_tokens += len(pieces)
            tally.ttft_s.append(time.monotonic() - began_s)
            tally.gaps_s += [TOKEN_S] * (len(pieces) - 1)

    def _stream(
        self, body: dict[str, Any], pieces: list[str], usage: dict[str, int], *, is_chat: bool
    ) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for number, piece in enumerate(pieces):
            time.sleep(TOKEN_S)
            finish = "length" if number == len(pieces) - 1 else None
            part = {"delta": {"content": piece}} if is_chat else {"text": piece}
            choice = {"index": 0, "finish_reason": finish} | part
            self._event(self._document(body, "chat.completion.chunk", [choice]))
        if body.get("stream_options", {}).get("include_usage"):
            self._event(self._document(body, "chat.completion.chunk", []) | {"usage": usage})
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _event(self, document: dict[str, Any]) -> None:
        self.wfile.write(f"data: {json.dumps(document)}\n\n".encode())
        self.wfile.flush()

    def _document(self, body: dict[str, Any], kind: str, choices: list[Any]) -> dict[str, Any]:
        model = str(body.get("model"))
        return {"id": "scripted", "object": kind, "created": 0, "model": model, "choices": choices}

    def _send_json(self, status: int, document: dict[str, Any]) -> None:
        self._send(status, json.dumps(document), kind="application/json")

    def _send(self, status: int, text: str, *, kind: str = "text/plain") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text.encode())


def serve(engine: Engine) -> None:
    """Start as the engine does, serve until SIGTERM."""
    print(
        "[scripted] This is NOT a real engine: pitwall-test/scripted-engine, made for the tests of "
        f"Pitwall, plays {engine.program}.",
        flush=True,
    )
    signal.signal(signal.SIGTERM, _end)
    handler = type("EngineHandler", (Handler,), {"engine": engine})
    if not engine.shape.early:
        engine.say(engine.start_lines())
    server = ThreadingHTTPServer((engine.host, engine.port), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    if engine.shape.early:
        engine.say(engine.start_lines())
    engine.is_ready = True
    engine.say(engine.shape.ready)
    while True:
        signal.pause()


def _end(_number: int, _frame: FrameType | None) -> None:
    print("[scripted] SIGTERM: the end", flush=True)
    sys.stdout.flush()
    os._exit(0)


def ollama(words: list[str]) -> None:
    """``ollama serve``, ``list`` and ``create NAME -f FILE``."""
    if words[0] == "serve":
        serve(Engine("ollama", []))
    address = os.environ["OLLAMA_HOST"]
    try:
        urllib.request.urlopen(f"http://{address}/", timeout=2).close()
    except OSError:
        sys.exit("Error: could not connect to ollama server, run 'ollama serve' to start it")
    if words[0] == "create":
        source = Path(words[3]).read_text().split()[1]
        if Path(source).read_bytes()[:4] != b"GGUF":
            sys.exit("Error: no such file or no GGUF")
        print("gathering model components\ncopying file sha256:0 100%\nparsing GGUF", flush=True)
        STORE.mkdir(parents=True, exist_ok=True)
        (STORE / words[1]).touch()
        print("writing manifest\nsuccess", flush=True)


def main() -> None:
    """Play the engine whose program name was called."""
    program = Path(sys.argv[0]).name
    if program == "ollama":
        ollama(sys.argv[1:])
    else:
        serve(Engine(program, sys.argv[1:]))


if __name__ == "__main__":
    main()

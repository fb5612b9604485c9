"""Lines from any stream, wherever it is cut and whatever it holds."""

import json
import time

from fakes.engine_logs import LLAMA_START, VLLM_START
from hypothesis import given
from hypothesis import strategies as st

from app.core.logs.line import LogLevel
from app.core.logs.reader import LogReader, read_lines
from app.core.logs.splitter import LINE_LIMIT


def one(text):
    return LogReader().feed_line(text)


def test_vllm_line_is_taken_apart():
    line = one("(EngineCore pid=23) INFO 11-29 19:41:28 [core.py:402] init engine took 1.16 s")

    assert (line.source, line.level, line.at) == ("EngineCore", LogLevel.INFO, "11-29 19:41:28")
    assert (line.location, line.text) == ("core.py:402", "init engine took 1.16 s")


def test_older_vllm_line_without_brackets_is_taken_apart():
    line = one("(VllmWorkerProcess pid=1927518) INFO 08-31 09:50:45 multiproc.py:215] Worker ready")

    assert (line.level, line.location, line.text) == (
        LogLevel.INFO,
        "multiproc.py:215",
        "Worker ready",
    )


def test_level_that_is_set_right_of_its_column_is_read():
    line = one("2026-02-11T06:12:21.100100Z  WARN text_generation_launcher: no Flash Attention")
    frame = one("2026-02-11T06:12:21.100100Z     return await main")

    assert (line.level, line.text) == (
        LogLevel.WARNING,
        "text_generation_launcher: no Flash Attention",
    )
    assert frame.text == "    return await main"


def test_tensor_parallel_worker_tells_its_rank():
    assert one("(Worker_TP1 pid=7455) INFO 11-29 19:56:11 [a.py:1] x").rank == 1
    assert one("(VllmWorker-3 pid=7455) INFO 11-29 19:56:11 [a.py:1] x").rank == 3
    assert one("(Worker_DP0_TP2_EP2 pid=7455) x").rank == 2


def test_rank_is_told_in_other_words_too():
    assert one("(VllmWorker rank=7 pid=10948) x").rank == 7
    assert one("[1,3]<stderr>:x").rank == 3
    assert one("(pid=77, ip=192.0.2.7) x").source == "pid 77"
    assert one("[pod/engine-0/engine] x").text == "x"


def test_version_of_another_library_is_no_start():
    reader = LogReader()
    reader.feed_line("torch.distributed.DistBackendError: NCCL error, NCCL version 2.18.1")

    assert reader.starts == 0


def test_rank_is_unknown_where_sizes_would_be_needed():
    assert one("(Worker_PP1_TP0 pid=7) x").rank is None
    assert one("(EngineCore_0 pid=2739080) x").rank is None


def test_traceback_keeps_its_indentation():
    line = one('(Worker pid=34) ERROR 11-29 19:47:04 [m.py:953]   File "/a.py", line 920, in main')

    assert line.text == '  File "/a.py", line 920, in main'
    assert line.level == LogLevel.ERROR


def test_llama_line_is_taken_apart():
    line = one("0.00.303.430 I srv  llama_server: listening on http://127.0.0.1:18090")

    assert (line.source, line.level, line.at) == ("srv", LogLevel.INFO, "0.00.303.430")
    assert line.text == "llama_server: listening on http://127.0.0.1:18090"


def test_llama_error_without_part_is_taken_apart():
    line = one("0.00.005.203 E gguf_init_from_file: failed to open GGUF file 'x.gguf'")

    assert (line.source, line.level) == ("", LogLevel.ERROR)
    assert line.text.startswith("gguf_init_from_file")


def test_llama_line_without_clock_keeps_its_part():
    line = one("srv    load_model: loading model 'tiny.gguf'")

    assert (line.source, line.text) == ("srv", "load_model: loading model 'tiny.gguf'")


def test_outer_prefixes_are_stripped():
    inner = "INFO 11-29 20:09:12 [core.py:1] hello"
    for outer in (
        "2026-11-29T20:09:12.123456789Z ",
        "2026-11-29T20:09:12.1Z stdout F ",
        "Nov 29 20:09:12 gpu01 dockerd[812]: ",
        "vllm-1  | ",
        "vllm-1  | 2026-11-29T20:09:12.123456789Z ",
    ):
        line = one(outer + inner)
        assert (line.text, line.level, line.location) == ("hello", LogLevel.INFO, "core.py:1"), (
            outer
        )


def test_container_time_wins_over_the_printed_one():
    line = one("2026-11-29T20:09:12.5Z INFO 11-29 20:09:11 [core.py:1] hello")

    assert line.at == "2026-11-29T20:09:12.5Z"


def test_docker_json_record_is_opened():
    record = {"log": "ERROR 11-29 20:09:12 [a.py:1] no\n", "time": "2026-01-02T03:04:05Z"}

    line = one(json.dumps(record, separators=(",", ":")))

    assert (line.text, line.level, line.at) == ("no", LogLevel.ERROR, "2026-01-02T03:04:05Z")


def test_broken_docker_json_is_a_plain_line():
    assert one('{"log":"cut').text == '{"log":"cut'
    assert one('{"log":5}').text == '{"log":5}'


def test_other_engines_lines_are_taken_apart():
    # fmt: off
    cases = {
        "[2025-07-21 19:05:29 TP1] Load weight begin.": ("TP1", 1, "", "Load weight begin."),
        "[09/17/2025-21:24:19] [TRT-LLM] [RANK 2] [E] no": ("TRT-LLM", 2, "error", "no"),
        "[TensorRT-LLM][ERROR] 6: other": ("TensorRT-LLM", None, "error", "6: other"),
        "time=2024-07-03T13:26:05Z level=WARN source=g.go:5 msg=hm": ("", None, "warning", "hm"),
        "node1:27907:27907 [1] NCCL WARN failure": ("NCCL", 1, "warning", "NCCL WARN failure"),
        "[rank1]:W0917 21:24:19.000000 12 c10d.cpp:5] lost": ("", 1, "warning", "lost"),
        "[rank3]: ValueError: no": ("", 3, "error", "ValueError: no"),
        "W1129 19:40:35.607 1 torch/_library/triton.py:53] none": ("", None, "warning", "none"),
        "INFO:     Started server process [1]": ("", None, "info", "Started server process [1]"),
        "2025-06-19T11:30:14+08:00 - a.vllm - INFO - Go": ("a.vllm", None, "info", "Go"),
        "2026-11-29 20:00:00,123 ERROR it broke": ("", None, "error", "it broke"),
        "(Ray pid=40, ip=10.0.0.2) ERROR 03-28 21:38:23 ray.py:44] x": ("Ray", None, "error", "x"),
    }
    # fmt: on
    for text, expected in cases.items():
        line = one(text)
        assert (line.source, line.rank, str(line.level), line.text) == expected, text


def test_what_only_an_error_looks_like_is_an_error():
    for text in (
        "error: invalid argument: --bogus-flag",
        "vllm: error: unrecognized arguments: --no-such-flag 1",
        "Traceback (most recent call last):",
        "huggingface_hub.errors.HFValidationError: Repo id must be",
    ):
        assert one(text).level == LogLevel.ERROR, text
    assert one("all is well").level == LogLevel.UNKNOWN
    assert one("    raise ValueError: indented").level == LogLevel.UNKNOWN


def test_progress_bar_shows_its_last_state_and_keeps_its_process():
    line = one("(EngineCore pid=114) \rCapturing:   0%| | 0/51\rCapturing: 100%|█| 51/51\r")

    assert (line.source, line.text) == ("EngineCore", "Capturing: 100%|█| 51/51")


def test_colours_links_and_control_characters_are_removed():
    assert one("\x1b[32mINFO\x1b[0m:     \x1b]8;;http://x\x07up\x00\x08").text == "up"


def test_line_of_carriage_returns_only_is_empty():
    assert one("\r\r\r").text == ""


def test_hard_wrapped_lines_stay_as_they_are():
    wrapped = "ValueError: the model's max seq len (131072) is larger than the maxi\nmum number\n"

    texts = [line.text for line in read_lines([wrapped])]

    assert texts == [
        "ValueError: the model's max seq len (131072) is larger than the maxi",
        "mum number",
    ]


def test_windows_line_ends_leave_nothing_behind():
    assert [line.text for line in read_lines(["one\r\ntwo\r\n"])] == ["one", "two"]


def test_unicode_separators_do_not_split_lines():
    assert len(list(read_lines(["a\u2028b\x0bc\x85d\n"]))) == 1


def test_characters_cut_in_the_middle_are_put_together():
    data = "启动 ██ done\n".encode()

    lines = list(read_lines(data[i : i + 1] for i in range(len(data))))

    assert [line.text for line in lines] == ["启动 ██ done"]


def test_bytes_that_are_no_utf8_do_not_stop_the_reader():
    lines = list(read_lines([b"ok\n\xff\xfe broken \xe5\nok again"]))

    assert [line.text for line in lines][::2] == ["ok", "ok again"]


def test_several_starts_of_vllm_are_told_apart():
    second = VLLM_START.replace("03-04 10:", "03-04 11:")

    lines = list(read_lines([VLLM_START, second]))

    assert {line.start for line in lines[:13]} == {1}
    assert {line.start for line in lines[13:]} == {2}


def test_several_starts_of_llama_are_told_apart():
    reader = LogReader()
    lines = reader.feed(LLAMA_START + LLAMA_START + LLAMA_START)

    assert reader.starts == 3
    assert [lines[0].start, lines[-1].start] == [1, 3]


def test_llama_clock_that_falls_back_is_a_new_start_even_when_the_first_line_is_lost():
    lines = list(read_lines(["0.05.000.000 I srv  a: b\n0.00.300.000 I srv  a: b\n"]))

    assert [line.start for line in lines] == [1, 2]


def test_threads_that_print_a_little_out_of_order_are_no_new_start():
    lines = list(read_lines(["0.05.000.009 I srv  a: b\n0.05.000.001 I srv  a: b\n"]))

    assert [line.start for line in lines] == [1, 1]


def test_two_processes_that_greet_in_the_same_second_are_one_start():
    first = VLLM_START.splitlines(keepends=True)[0]

    assert [line.start for line in read_lines([first, first])] == [1, 1]


def test_endless_line_is_given_out_in_pieces():
    reader = LogReader()
    lines = []
    for _ in range(40):
        lines += reader.feed("x" * 10_000)
    lines += reader.close()

    assert max(len(line.raw) for line in lines) <= LINE_LIMIT
    assert sum(len(line.raw) for line in lines) == 400_000


def test_endless_progress_bar_keeps_only_its_last_state():
    reader = LogReader()
    for i in range(4000):
        assert reader.feed(f"\rLoading: {i % 100}% {'.' * 60}") == []

    assert len(reader._splitter.rest) <= LINE_LIMIT
    assert reader.close()[0].text.startswith("Loading: 99%")


def test_rest_after_a_long_line_is_cut_too():
    reader = LogReader()

    assert len(reader.feed("a\n" + "b" * (LINE_LIMIT + 1))) == 2


@given(st.lists(st.one_of(st.binary(max_size=200), st.text(max_size=200)), max_size=8))
def test_reader_never_fails_and_loses_no_line(chunks):
    lines = list(read_lines(chunks))

    ends = sum(c.count(b"\n") if isinstance(c, bytes) else c.count("\n") for c in chunks)
    assert len(lines) in {ends, ends + 1}
    assert all("\r" not in line.text and "\x1b" not in line.text for line in lines)


@given(
    st.lists(
        st.sampled_from(
            ["(Worker_TP0 pid=1) ", "INFO 11-29 19:41:28 [a.py:1] ", "0.00.303.430 I srv  x: ",
             "\r", "\x1b[0m", "2026-11-29T20:09:12Z ", "[rank1]:", '{"log":', "time=1 level=x msg=",
             "[TRT-LLM] [RANK 9] ", "host:1:2 [0] NCCL ", "a | ", "version 0.1.2", "Error: ", "\n"]
        ),
        max_size=12,
    )
)  # fmt: skip
def test_any_mixture_of_prefixes_is_read(parts):
    for line in read_lines(["".join(parts)]):
        assert len(line.text) <= len(line.raw) + 1


@given(st.data())
def test_where_a_stream_is_cut_makes_no_difference(data):
    log = VLLM_START + LLAMA_START
    cuts = sorted(data.draw(st.lists(st.integers(0, len(log)), max_size=5)))
    pieces = [log[a:b] for a, b in zip([0, *cuts], [*cuts, len(log)], strict=True)]

    assert list(read_lines(pieces)) == list(read_lines([log]))


def test_reads_ten_megabytes_a_second():
    chunk = (VLLM_START * 400).encode()

    def spent_s() -> float:
        reader, started = LogReader(), time.process_time()
        assert len(reader.feed(chunk)) == 13 * 400
        return time.process_time() - started

    # The quickest of five, and half the budget of 10 MB/s, because test machines are shared.
    assert len(chunk) / min(spent_s() for _ in range(5)) > 5e6

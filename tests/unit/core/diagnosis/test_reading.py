"""What a log is read as: prefixes, broken lines, tracebacks, starts, in constant memory."""

import pytest
from fakes.diagnosis_rules import causes_of, diagnose, rule, rule_set
from hypothesis import given
from hypothesis import strategies as st

from app.core.diagnosis.context import DiagnosisContext
from app.core.diagnosis.finding import Confidence, Verdict
from app.core.diagnosis.log_diagnosis import LogDiagnosis
from app.core.diagnosis.rules import LogFact, Role, Scope
from app.core.logs.line import LogLine

BEGIN = "(APIServer pid=1) INFO 11-29 19:00:00 [api.py:1] server version 0.9.1\n"
READY = "INFO:     Application startup complete.\n"


@pytest.mark.parametrize(
    "line",
    [
        "out of memory",
        "2026-11-29T19:41:28.123456789Z out of memory",
        "2026-11-29T19:41:28.123Z stderr F out of memory",
        "vllm-1  | ERROR 11-29 19:00:01 [core.py:7] out of memory",
        "Nov 29 19:41:28 host docker[17]: out of memory",
        "(EngineCore_DP0 pid=60) ERROR 01-12 01:09:14 [core.py:708] out of memory",
        "(VllmWorker rank=7 pid=10948) out of memory",
        "(pid=77, ip=192.0.2.7) out of memory",
        "[rank0]: out of memory",
        "[2026-09-13 09:09:15 TP0] out of memory",
        "[1,0]<stderr>:out of memory",
        "[pod/engine-0/engine] out of memory",
        "\x1b[31mout of\x1b[0m memory",
        "Loading: 10%|\rLoading: 50%|\rout of memory",
        "> > out of memory",
    ],
)
def test_message_is_found_behind_prefix(line):
    found = diagnose(f"first\n{line}\n", rule(any=("^out of memory$",)))

    assert found.primary is not None
    assert found.primary.evidence[0].line == 2
    assert found.primary.evidence[0].text == "out of memory"


def test_text_broken_inside_a_word_is_found():
    wide = "(Core pid=316) ValueError: to serve a request of length 100000, 4.26 GiB of KV cach"
    log = f"{'x' * len(wide)}\n{wide}\ne is needed, more than is left\n"

    found = diagnose(log, rule(any=(r"(?P<need>[\d.]+ GiB) of KV cache is needed",)))

    assert found.primary is not None
    assert found.primary.evidence[0].line == 2


def test_text_broken_twice_at_a_usual_width_is_found():
    message = "ValueError: " + "the number of heads must be divisible by the size " * 4 + "at last"
    log = "\n".join(message[at : at + 80] for at in range(0, len(message), 80))

    assert diagnose(log, rule(any=("divisible by the size at last",))).primary is not None


def test_text_broken_at_a_blank_is_found_behind_a_prefix_too():
    log = (
        "(W_0 pid=1) ERROR 11-29 19:00:00 [a.py:1] weight 192 is not divisible by\n"
        "(W_1 pid=2) ERROR 11-29 19:00:00 [a.py:1] weight 192 is not divisible by\n"
        "(W_0 pid=1) ERROR 11-29 19:00:00 [a.py:1]   block 128.\n"
    )
    assert diagnose(log, rule(any=("divisible by block 128",))).primary is not None


def test_lines_of_a_traceback_are_not_put_together():
    log = 'some words\nTraceback (most recent call last):\n  File "/a.py", line 1, in main\n'

    assert diagnose(log, rule(any=("words Traceback",))).primary is None


def test_line_without_end_counts_once_the_log_is_closed():
    rules = rule_set(rule())
    diagnosis = LogDiagnosis(rules, causes_of(rules))
    diagnosis.feed("out of mem")
    diagnosis.feed(b"ory")
    assert diagnosis.result().verdict is Verdict.NOTHING_FOUND

    diagnosis.close()

    assert diagnosis.result().verdict is Verdict.CAUSE_FOUND


def test_followed_lines_keep_their_numbers():
    rules = rule_set(rule())
    diagnosis = LogDiagnosis(rules, causes_of(rules))
    diagnosis.feed_line(LogLine(raw="out of memory", text="out of memory", number=41))

    primary = diagnosis.result().primary

    assert primary is not None
    assert primary.evidence[0].line == 41


FRAMES = """Traceback (most recent call last):
  File "/x/worker.py", line 1, in start
    begin()
  File "/x/runner.py", line 2, in {function}
    run()
torch.OutOfMemoryError: CUDA out of memory.
"""


def test_frames_of_the_traceback_decide():
    at_load = rule("at_load", frames=(r"runner\.py:load_model$",))
    at_capture = rule("at_capture", frames=(":capture_model$",), not_frames=(":load_model$",))

    found = diagnose(FRAMES.format(function="capture_model"), at_load, at_capture)

    assert [one.cause for one in found.findings] == ["at_capture"]


def test_traceback_that_lost_its_head_still_tells_its_frames():
    log = FRAMES.format(function="capture_model").partition("\n")[2]
    again = log + "INFO: went on\n" + log.replace("capture_model", "load_model")

    assert diagnose(again, rule(frames=(":load_model$",))).primary is not None
    assert diagnose(log + "INFO:  out of memory\n", rule(frames=("x:nothing",))).primary is None


def broken(log, width):
    lines = (line[at : at + width] for line in log.split("\n") for at in range(0, len(line), width))
    return "\n".join(lines)


@pytest.mark.parametrize("width", [70, 80, 100])
@pytest.mark.parametrize("prefix", ["", "(Core pid=7) ERROR 11-29 19:00:00 [a.py:1] "])
def test_frames_broken_by_a_terminal_are_put_together(width, prefix):
    frame = '  File "/opt/environments/lib/python3.12/site-packages/vllm/{}.py", line {}, in {}'
    traceback = [
        "Traceback (most recent call last):",
        frame.format("engine/core", 17, "start_the_engine_core"),
        "    begin()",
        frame.format("worker/gpu_model_runner", 23456, "capture_the_whole_model"),
        "    run_everything_that_there_is_to_run_with_all_of_its_arguments(left, right, and_more)",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 448.00 MiB. " + "More. " * 9,
    ]
    log = broken("\n".join(prefix + line for line in traceback), width)

    found = diagnose(log, rule(frames=(r"gpu_model_runner\.py:capture_the_whole_model$",)))

    assert found.primary is not None


def test_rest_of_a_broken_line_belongs_to_the_rank_that_wrote_it():
    line = "(W_{} pid=9) ERROR 11-29 19:00:00 [a.py:1] the device of this rank, that is GPU 0, is "
    log = "".join(f"{line.format(rank)}\nout of memory\n" for rank in (1, 2))
    made = rule(any=("^out of memory",), distinct_ranks=2)

    assert diagnose(log.replace("W_", "Worker_TP"), made).primary is not None


def test_message_broken_inside_a_table_is_put_together():
    log = """\
| model  | 1 | UNAVAILABLE: Internal: the pool of this device is out of mem |
|        |   | ory, so that nothing is le                                    |
|        |   | ft for the model                                              |
"""

    found = diagnose(log, rule(any=("out of memory, so that nothing is left for",)))

    assert found.primary is not None
    assert found.primary.evidence[0].line == 1


def test_indented_paste_is_read():
    found = diagnose(
        "    (Core pid=7) ERROR 11-29 19:00:00 [a.py:1] out of memory\n", rule(any=("^out of",))
    )

    assert found.primary is not None


def test_interleaved_ranks_have_their_own_tracebacks():
    lines = zip(
        FRAMES.format(function="capture_model").splitlines(),
        FRAMES.format(function="load_model").replace("CUDA out of memory.", "lost").splitlines(),
        strict=True,
    )
    log = "\n".join(f"[rank0]: {a}\n[rank1]: {b}" for a, b in lines)

    found = diagnose(log, rule("load", frames=(":load_model$",)), rule("graphs", frames=(":cap",)))

    assert [one.cause for one in found.findings] == ["graphs"]


def test_line_after_a_traceback_does_not_inherit_its_frames():
    log = FRAMES.format(function="load_model").replace("CUDA out of memory.", "x")
    log += "WARNING 11-29 19:00:00 [a.py:1] out of memory\n"

    assert diagnose(log, rule(frames=(":load_model$",))).primary is None


def test_phase_of_the_start_decides():
    log = f"{BEGIN}Loading the weights\nCapturing graphs\nout of memory\n"

    found = diagnose(
        log,
        rule("at_load", phases=("load",)),
        rule("at_graphs", phases=("graphs",)),
        rule("not_at_graphs", not_phases=("graphs",)),
    )

    assert [one.cause for one in found.findings] == ["at_graphs"]


def test_last_start_is_judged():
    log = f"{BEGIN}out of memory\n{BEGIN}{READY}"

    found = diagnose(log, rule())

    assert (found.verdict, found.starts, found.engine_version) == (Verdict.HEALTHY, 2, "0.9.1")


def test_start_that_only_began_leaves_the_word_to_the_one_before():
    found = diagnose(f"{BEGIN}out of memory\n{BEGIN}Loading the weights\n", rule())

    assert found.primary is not None
    assert (found.primary.start, found.primary.evidence[0].line) == (1, 2)


def test_same_words_at_another_time_are_another_start():
    later = BEGIN.replace("19:00:00", "19:07:00")

    assert diagnose(BEGIN + later, rule()).starts == 2
    assert diagnose(BEGIN + BEGIN, rule()).starts == 1
    assert diagnose("server version 1\n" * 3, rule()).starts == 3


def test_clock_that_falls_back_is_another_start():
    log = "0.01.000.000 E out of memory\n0.00.000.001 I begin again\n0.00.000.002 E lost\n"

    found = diagnose(log, rule(), rule("lost", any=("lost",)))

    assert found.primary is not None
    assert (found.primary.cause, found.primary.start) == ("lost", 2)


def test_of_very_many_starts_the_middle_ones_are_forgotten():
    log = "".join(f"{BEGIN}out of memory {number}\n" for number in range(40))

    found = diagnose(log, rule(any=("out of memory (?P<n>0)$",), scope=Scope.LOG), rule("last"))

    assert found.starts == 40
    assert found.primary is not None
    assert found.primary.start == 40


def test_failures_alike_make_a_hint_more_than_a_hint():
    hint = rule(confidence=Confidence.LOW)

    once = diagnose(f"{BEGIN}out of memory\n", hint)
    twice = diagnose(f"{BEGIN}out of memory\n" * 2, hint)

    assert once.primary is not None
    assert once.primary.confidence is Confidence.LOW
    assert twice.primary is not None
    assert twice.primary.confidence is Confidence.MEDIUM


def test_error_after_an_asked_stop_is_no_failure():
    stop = "INFO 11-29 19:09:00 [l.py:1] shutdown triggered\n"

    assert diagnose(f"{BEGIN}{READY}{stop}out of memory\n", rule()).verdict is Verdict.HEALTHY
    assert diagnose(f"{BEGIN}{stop}out of memory\n", rule()).verdict is Verdict.CAUSE_FOUND
    crashed = f"{BEGIN}{READY}ValueError: odd\n{stop}out of memory\n"
    assert diagnose(crashed, rule()).verdict is Verdict.CAUSE_FOUND


def test_engine_is_read_from_the_log_unless_it_is_known():
    log = 'File "/x/sglang/srt/a.py", line 1, in main\nout of memory\n'

    assert diagnose(log, rule()).engine == "sglang"
    assert diagnose(log, rule(engines=("vllm",))).primary is None
    assert diagnose(log, rule(), context=DiagnosisContext(engine="vllm")).engine == "vllm"


def test_values_that_the_log_names_fill_and_decide():
    facts = (LogFact(name="tp", any=(r"tp_size=(\d+)", r"--tp (\d+)")),)

    found = diagnose("run --tp 3\nout of memory\n", rule(needs=("tp > 2",)), facts=facts)

    assert found.primary is not None


def test_values_of_an_earlier_start_count_until_a_start_tells_its_own():
    facts = (
        LogFact(name="tp", any=(r"tp_size=(\d+)",)),
        LogFact(name="pp", any=(r"pp_size=(\d+)",)),
    )
    made = rule(any=("out of memory",), needs=("pp > 1",))
    first = f"{BEGIN}run pp_size=2\nValueError: odd\n{BEGIN}"

    assert diagnose(f"{first}out of memory\n", made, facts=facts).primary is not None
    assert diagnose(f"{first}run tp_size=2\nout of memory\n", made, facts=facts).primary is None


def test_unknown_fault_is_shown():
    found = diagnose("ValueError: something odd\nerror: bad\n" + "KeyError: 'x'\n" * 9, rule())

    assert found.verdict is Verdict.NOTHING_FOUND
    assert [(one.line, one.text) for one in found.telling] == [
        (1, "ValueError: something odd"),
        (2, "error: bad"),
        (3, "KeyError: 'x'"),
    ]


def test_kernel_log_counts_like_the_log():
    context = DiagnosisContext(kernel_log=("[12.5] Out of memory: Killed process 7",))

    found = diagnose("", rule(any=("Killed process",)), context=context)

    assert found.primary is not None
    assert found.primary.evidence[0].line == 0


def filler(count):
    address = "INFO:     10.0.0.{}:{} - GET /health HTTP/1.1 200 OK\n"
    return "".join(address.format(n % 250, n) for n in range(count))


def test_long_log_is_skimmed_without_losing_lines_or_numbers():
    wide = "x" * 99 + " ran out of"
    log = (
        f"{filler(7000)}\x1b[31mlost\x1b[0m track\n{filler(10)}{wide}\nmemory at all\n{filler(20)}"
    )
    log += "\x1b[1mplain\x1b[0m end\n"

    found = diagnose(
        log,
        rule(any=("ran out of (?:all )?memory",)),
        rule("coloured", any=("lost track",)),
        rule("stall", any=("plain end",), last=3),
    )

    lines = {one.cause: one.evidence[0].line for one in found.findings}
    assert lines == {"no_room": 7012, "coloured": 7001, "stall": 7034}
    assert found.lines_read == 7034


def test_flood_of_one_shape_is_looked_at_only_so_often():
    rules = rule_set(
        rule(any=("request (?P<n>\\d+) went out of memory",)), rule("end", any=("the end",))
    )
    diagnosis = LogDiagnosis(rules, causes_of(rules))
    diagnosis.feed(filler(6000))
    diagnosis.feed("".join(f"request {n} went out of memory\n" for n in range(2000)) + "the end\n")

    found = diagnosis.result()

    assert {one.cause for one in found.findings} == {"no_room", "end"}
    assert found.lines_read == 8001


def test_new_start_is_looked_at_anew():
    flood = "".join(f"out of memory {n}\n" for n in range(500))
    log = filler(6000) + (BEGIN + flood) * 3

    found = diagnose(log, rule())

    assert found.starts == 3
    assert found.primary is not None
    assert found.primary.start == 3


@given(st.lists(st.text(max_size=60) | st.binary(max_size=60), max_size=20))
def test_anything_is_read(pieces):
    rules = rule_set(rule(), rule("w", role=Role.WRAPPER, any=("odd words",)))
    diagnosis = LogDiagnosis(rules, causes_of(rules))
    for piece in pieces:
        diagnosis.feed(piece)
    diagnosis.close()
    assert diagnosis.result().verdict in Verdict

"""Which lines of a long log are looked at."""

from fakes.diagnosis_rules import rule, rule_set

from app.core.diagnosis.attention import Attention
from app.core.diagnosis.bank import bare
from app.core.diagnosis.compiled import compile_rules
from app.core.diagnosis.record import StartRecord

RULES = compile_rules(rule_set(rule(none_after=("served well",), also=("first sign",))))
START = StartRecord(number=1, first_line=1)


def wants(attention, line, start=START):
    possible = RULES.bank.possible(bare(line))
    return possible is not None and attention.wants(bare(line), possible.signs, start)


def note(attention, line, *, matched):
    possible = RULES.bank.possible(bare(line))
    assert possible is not None
    attention.note(bare(line), possible.signs, matched=matched)


def test_line_without_an_anchor_is_of_no_interest():
    assert RULES.bank.possible(bare("GET /health 200")) is None


def test_ids_and_figures_make_no_new_shapes():
    assert bare("request 7fa0-12 took 3.5 s") == bare("request 99be-77 took 41.75 s")


def test_lines_alike_are_looked_at_only_so_often():
    attention = Attention(RULES)

    looks = sum(wants(attention, f"out of memory {n}") for n in range(1000))

    assert looks == 200


def test_later_starts_get_fewer_looks():
    attention = Attention(RULES)
    later = StartRecord(number=30, first_line=1)

    assert sum(wants(attention, "out of memory", later) for _ in range(1000)) == 16


def test_first_words_of_a_start_are_always_looked_at():
    attention = Attention(RULES)

    assert all(wants(attention, "server version 1.2") for _ in range(1000))


def test_what_only_matters_after_a_finding_waits_for_one():
    found = StartRecord(number=1, first_line=1, has_finding=True)

    assert not wants(Attention(RULES), "served well")
    assert wants(Attention(RULES), "served well", found)


def test_looks_that_come_to_nothing_end():
    attention = Attention(RULES)
    for _ in range(48):
        note(attention, "out of memory of sorts", matched=False)

    assert not wants(attention, "out of memory of sorts")
    note(attention, "out of memory of sorts", matched=True)
    assert wants(attention, "out of memory of sorts")


def test_traceback_lines_are_never_given_up():
    attention = Attention(RULES)
    line = '  File "/a.py", line 1, in main'
    for _ in range(100):
        note(attention, line, matched=False)

    assert wants(attention, line)


def test_memory_stays_bounded_whatever_the_shapes():
    attention = Attention(RULES)
    for number in range(50_100):
        shape = number.to_bytes(4, "big")
        attention.wants(shape, {0}, START)
        attention.note(shape, {0}, matched=False)

    assert len(attention._looks) <= 50_001
    assert len(attention._fruitless) <= 50_001

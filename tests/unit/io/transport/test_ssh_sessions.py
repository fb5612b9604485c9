"""Sessions are few: who waits, who gives way, what is learned."""

import threading

import pytest

from app.io.transport.ssh_sessions import SessionSlots


def test_no_more_than_the_limit_are_handed_out():
    slots = SessionSlots("h", limit=2)
    first = slots.take(1)
    slots.take(1)
    with pytest.raises(TimeoutError):
        slots.take(0.05)
    slots.release(first)
    slots.take(1)


def test_command_asks_one_stream_to_end_and_only_once():
    slots = SessionSlots("h", limit=1)
    asked = []
    stream = slots.take(1, give_way=lambda: asked.append(1))
    for _ in range(2):
        with pytest.raises(TimeoutError):
            slots.take(0.02)
    assert asked == [1]
    slots.release(stream)
    slots.take(1)


def test_stream_does_not_push_another_stream_out():
    slots = SessionSlots("h", limit=1)
    asked = []
    slots.take(1, give_way=lambda: asked.append(1))
    with pytest.raises(TimeoutError):
        slots.take(0.02, give_way=lambda: None)
    assert asked == []


def test_limit_is_learned_from_a_refusal():
    slots = SessionSlots("h")
    held = [slots.take(1) for _ in range(3)]
    refused = slots.take(1)
    assert slots.refused(refused)
    assert slots.limit == 3
    with pytest.raises(TimeoutError):
        slots.take(0.02)
    slots.release(held[0])
    slots.take(1)


def test_refusal_without_other_sessions_is_final():
    slots = SessionSlots("h")
    assert not slots.refused(slots.take(1))
    assert slots.limit == 8


def test_refusal_right_after_a_release_is_tried_again():
    slots = SessionSlots("h")
    slots.release(slots.take(1))
    assert slots.refused(slots.take(1))


def test_closing_wakes_who_waits():
    slots = SessionSlots("h", limit=1)
    slots.take(1)
    ended = []

    def wait():
        try:
            slots.take(30)
        except EOFError:
            ended.append(True)

    thread = threading.Thread(target=wait)
    thread.start()
    slots.close()
    thread.join(5)
    assert ended == [True]
    with pytest.raises(EOFError):
        slots.take(1)

"""Guards the internals of paramiko that channels are built with.

When one of these fails after an update of paramiko, look at `ssh_channels` and `ssh_exec`.
"""

import inspect

import paramiko
from paramiko.buffered_pipe import BufferedPipe
from paramiko.common import cMSG_CHANNEL_OPEN
from paramiko.packet import Packetizer


def test_open_channel_still_registers_a_channel_the_way_we_do():
    text = inspect.getsource(paramiko.Transport.open_channel)
    steps = [
        "self._next_channel()",
        "add_byte(cMSG_CHANNEL_OPEN)",
        "m.add_string(kind)",
        "m.add_int(chanid)",
        "m.add_int(window_size)",
        "m.add_int(max_packet_size)",
        "chan = Channel(chanid)",
        "self._channels.put(chanid, chan)",
        "self.channel_events[chanid] = event = threading.Event()",
        "self.channels_seen[chanid] = True",
        "chan._set_transport(self)",
        "chan._set_window(window_size, max_packet_size)",
        "self._send_user_message(m)",
    ]
    places = [text.index(step) for step in steps]
    assert places == sorted(places)


def test_refusals_and_successes_pass_through_methods_that_can_be_overridden():
    text = inspect.getsource(paramiko.Transport.__init__)
    assert "MSG_CHANNEL_OPEN_FAILURE: self._parse_channel_open_failure" in text
    assert "MSG_CHANNEL_OPEN_SUCCESS: self._parse_channel_open_success" in text
    assert "packetizer_class" in inspect.signature(paramiko.Transport.__init__).parameters


def test_message_and_packetizer_have_the_methods_we_call():
    message = paramiko.Message()
    message.add_int(7)
    message.add_string("x")
    message.rewind()
    copy = paramiko.Message(message.get_remainder())
    assert (copy.get_int(), copy.get_text()) == (7, "x")
    assert message.get_int() == 7
    assert callable(Packetizer.read_message)
    assert isinstance(cMSG_CHANNEL_OPEN, bytes)


def test_buffers_tell_an_event_of_news_and_of_the_end():
    class Event:
        count = 0

        def set(self):
            self.count += 1

        def clear(self):
            pass

    event, buffer = Event(), BufferedPipe()
    buffer.set_event(event)
    buffer.feed(b"x")
    assert event.count == 1
    buffer.close()
    assert event.count == 2
    text = inspect.getsource(paramiko.Channel._set_closed)
    assert "self.in_buffer.close()" in text
    assert "self.status_event.set()" in text


def test_keys_are_still_decrypted_with_bytes(tmp_path):
    """`ssh_keys.load_key` hands over bytes, against the annotation of paramiko."""
    import subprocess

    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "word", "-f", str(key)], check=True)
    assert paramiko.PKey.from_path(key, b"word").get_name() == "ssh-ed25519"
